import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { mainFile, NODE, REPOSITORY } from '../../support/process.ts'
import { eventsA, getJson, type Json, NOON } from './venuesClient.ts'

const MAIN = mainFile('ops/sandbox/venues/main.ts')
const empty = mkdtempSync(join(tmpdir(), 'venues-'))

const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(empty, { recursive: true, force: true })
})

/** A market clock that stands at noon for all practical purposes. */
const STILL = `${NOON}:${Date.now()}:0.000001`

function run(env: Record<string, string>, ipc = false) {
  const settings = { cwd: REPOSITORY, env: { PATH: process.env.PATH ?? '', MARKET_CLOCK: STILL, ...env } }
  const child = ipc
    ? fork(MAIN, { ...settings, execPath: NODE, execArgv: [], silent: true })
    : spawn(NODE, [MAIN], settings)
  children.add(child)
  let stdout = ''
  let stderr = ''
  child.stderr!.on('data', (part) => {
    stderr += part
  })
  const exited = new Promise<number | null>((resolve) => {
    child.on('exit', (code) => {
      children.delete(child)
      resolve(code)
    })
  })
  const ready = new Promise<Json>((resolve, reject) => {
    child.stdout!.on('data', (part) => {
      stdout += part
      const line = stdout.split('\n').find((text) => text.startsWith('{"ready"'))
      if (line !== undefined) resolve(JSON.parse(line))
    })
    exited.then((code) => reject(new Error(`exit ${code}: ${stderr}`)))
  })
  ready.catch(() => {})
  return { child, ready, exited, stderr: () => stderr }
}

describe('the process', () => {
  test('prints where both venues listen, and ends with 0 on SIGTERM', async () => {
    const { child, ready, exited } = run({ VENUES_SIZE: '60' })
    const line = await ready
    expect(line).toEqual({
      ready: true,
      a: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      b: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/trade-api\/v2$/),
    })
    expect((await getJson(`${line.b}/exchange/status`)).exchange_active).toBe(true)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    await expect(fetch(`${line.a}/time`)).rejects.toThrow()
  })

  test('two processes of one seed and step serve the same bytes, another seed or step does not', async () => {
    const started = [
      run({ VENUES_SIZE: '60', VENUES_SEED: '5' }),
      run({ VENUES_SIZE: '60', VENUES_SEED: '5' }),
      run({ VENUES_SIZE: '60', VENUES_SEED: '6' }),
      run({ VENUES_SIZE: '60', VENUES_SEED: '5', VENUES_STEP_MS: '600000' }),
    ]
    const sweeps = await Promise.all(
      started.map(async ({ ready }) => JSON.stringify(await eventsA((await ready).a))),
    )
    expect(sweeps[0]).toBe(sweeps[1])
    expect(sweeps[0]).not.toBe(sweeps[2])
    expect(sweeps[0]).not.toBe(sweeps[3])
    for (const { child, exited } of started) {
      child.kill('SIGTERM')
      expect(await exited).toBe(0)
    }
  })

  test('ends when its parent is gone', async () => {
    const { child, ready, exited } = run({ VENUES_SIZE: '20' }, true)
    await ready
    child.disconnect()
    expect(await exited).toBe(0)
  })

  test.each([
    [{ VENUES: 'live' }, /VENUES=live/],
    [{ VENUES: empty }, /manifest\.json: is missing/],
    [{ VENUES_SIZE: '5' }, /VENUES_SIZE/],
    [{ VENUES_STEP_MS: '999' }, /VENUES_STEP_MS/],
    [{ MARKET_CLOCK: `1000000:${Date.now()}:1` }, /MARKET_CLOCK/],
  ])('%j stops the start and says why', async (env, message) => {
    const { exited, stderr } = run(env)
    expect(await exited).toBe(1)
    expect(stderr()).toMatch(message)
  })
})
