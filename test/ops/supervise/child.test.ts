import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { type Spawn, startChild } from '../../../ops/supervise/child.ts'
import { until } from '../../support/process.ts'

const ENDLESS = ['-e', 'setInterval(() => {}, 1000); console.log("up")']
const node = (how: Partial<Spawn>): Spawn => ({
  command: process.execPath,
  args: ENDLESS,
  env: {},
  ipc: false,
  ...how,
})

test.each([
  ['who stands back yields to the others', { standsBack: true as const }, 10],
  ['nobody else does', {}, getPriority()],
])('%s', async (_, how, nice) => {
  const said: string[] = []
  const child = startChild(node(how), (line) => said.push(line))
  try {
    await until('it runs', () => said.includes('up'))
    expect(getPriority(child.pid)).toBe(nice)
  } finally {
    child.signal('SIGKILL')
    await child.exited
  }
})

test('one that cannot be started is told, whether it would stand back or not', async () => {
  const { exited } = startChild(node({ command: '/nonexistent', standsBack: true }), () => {})
  expect(await exited).toMatchObject({ code: null, words: expect.stringContaining('ENOENT') })
})
