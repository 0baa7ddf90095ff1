import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tied } from '../../../ops/sandbox/tied.ts'
import { isAlive, run, until } from '../../support/process.ts'

const MODULE = new URL('../../../ops/sandbox/tied.ts', import.meta.url).href
/** Starts a program that never ends, says its process id, and never ends itself. */
const PARENT = `
  import { spawn } from 'node:child_process'
  import { tied } from '${MODULE}'
  const child = spawn(...tied(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']), { stdio: 'ignore' })
  console.log('child ' + child.pid)`

test.skipIf(!existsSync('/usr/bin/setpriv'))(
  'a store ends with the process that started it, also when that is killed',
  async () => {
    const parent = run(process.execPath, ['--input-type=module', '-e', PARENT])
    const [, pid] = await parent.says(/child (\d+)/)
    expect(isAlive(Number(pid))).toBe(true)
    await parent.kill()
    await until('it has ended too', () => !isAlive(Number(pid)))
  },
)

test('what is started is the program itself, with its own arguments last', () => {
  expect(tied('redis-server', ['--port', '0']).flat().slice(-3)).toEqual(['redis-server', '--port', '0'])
})
