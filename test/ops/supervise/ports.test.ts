import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenKeys, loadConfig } from '../../../ops/config.ts'
import { openInstance } from '../../../ops/supervise/instance.ts'
import type { Screen } from '../../../ops/supervise/screen.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-ports-'))
})
afterAll(() => rm(dir, { recursive: true }))

const quiet = { note: () => {}, warn: () => {} } as unknown as Screen
/** The port of the card provider after a start with these settings. Nothing is started. */
async function tillPort(env: Record<string, string> = {}): Promise<number> {
  const all = { DATA_DIR: dir, PORT: '0', OPERATOR_PORT: '0', ...env }
  const config = loadConfig(all, 'supervisor')
  const { facts, lock } = await openInstance(config, givenKeys(all), { PATH: '/bin' }, quiet)
  await lock.release()
  return Number(facts.CARDPAY_PORT)
}

test('the page of an open card checkout has the same address after a restart', async () => {
  const first = await tillPort()
  expect(first).toBeGreaterThan(0)
  expect(await tillPort()).toBe(first)
})

test('unless another program has its port by then, or a setting names one', async () => {
  const first = await tillPort()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(first, '127.0.0.1', resolve))
  const second = await tillPort()
  expect(second).not.toBe(first)
  expect(await tillPort()).toBe(second)
  await new Promise((resolve) => other.close(resolve))
  expect(await tillPort({ CARDPAY_PORT: String(first) })).toBe(first)
})
