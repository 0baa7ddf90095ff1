import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startReaper } from '../../../ops/supervise/reaper.ts'
import { isAlive, sleep, until } from '../../support/process.ts'

/** Process ids of the watchdogs that this process has started. */
function watchdogs(): number[] {
  const { pid } = process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  return children.filter((child) => child > 0 && isAlive(child) && isWatchdog(child))
}
function isWatchdog(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reaperMain')
  } catch {
    return false //  gone meanwhile
  }
}

test('design 2: a watchdog that dies is started again, but not once everything has ended', async () => {
  const reaper = startReaper({}, () => {})
  const first = await until('it runs', () => watchdogs()[0])
  process.kill(first, 'SIGKILL')
  const second = await until('it runs again', () => watchdogs().find((pid) => pid !== first))
  process.kill(second, 'SIGKILL')
  await until('it is gone', () => watchdogs().length === 0)
  await sleep(100) //  its end is known, and it is not started yet
  await reaper.dismiss()
  await sleep(800)
  expect(watchdogs()).toEqual([])
})
