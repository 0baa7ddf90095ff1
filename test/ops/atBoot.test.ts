import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { NODE, REPOSITORY, run } from '../support/process.ts'

/** Nobody listens there: a main that connects first waits for it as long as it lives. */
const NOWHERE = 'redis://127.0.0.1:9'

let dir: string
let env: Record<string, string>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-boot-'))
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  await writeFile(join(dir, 'key.pem'), pem, { mode: 0o600 })
  await writeFile(join(dir, 'secret'), randomBytes(32), { mode: 0o600 })
  await writeFile(join(dir, 'settler'), `0x${'1'.repeat(64)}`, { mode: 0o600 })
  env = {
    REDIS_URL: NOWHERE,
    LEDGER_REDIS_URL: NOWHERE,
    BASE_RPC_URL: 'http://127.0.0.1:9',
    RECEIVER_ADDRESS: `0x${'5'.repeat(40)}`,
    OPERATOR_PORT: '0',
    PORT: '0',
    RECEIPT_KEY_FILE: join(dir, 'key.pem'),
    SERVICE_SECRET_FILE: join(dir, 'secret'),
    SETTLER_KEY_FILE: join(dir, 'settler'),
    CLICKHOUSE_URL: 'http://127.0.0.1:9',
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** What is loaded after ops/atBoot.ts, still before the main. */
const HEARS = `data:text/javascript,${encodeURIComponent("process.stdout.write('it hears')")}`

describe('OPS-01 SIGTERM during boot', () => {
  test.each([
    'api/main.ts',
    'api/worker/main.ts',
    'ingest/main.ts',
    'engine/main.ts',
    'ops/supervise/main.ts',
  ])('%s: told while all it consists of is loaded, it ends with 0', async (main) => {
    const first = ['--import', join(REPOSITORY, 'ops/atBoot.ts'), '--import', HEARS]
    const starting = run(NODE, [...first, join(REPOSITORY, main)], { env })
    await starting.says(/it hears/)
    process.kill(starting.pid, 'SIGTERM')
    expect(await starting.exited).toEqual({ code: 0, signal: null })
  })

  test.each([
    ['api/worker/books/main.ts', []],
    [
      'ops/scripts/export.ts',
      ['--table=quotes', '--from=2026-11-20', '--to=2026-11-20', '--format=csv', '--out=.'],
    ],
  ])('%s: a command that is told to end has not done its work, and says so', async (main, args) => {
    const silent = createServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const asked = once(silent, 'connection')
    const command = run(
      NODE,
      ['--import', join(REPOSITORY, 'ops/atBoot.ts'), join(REPOSITORY, main), ...args],
      { env: { ...env, BASE_RPC_URL: url, CLICKHOUSE_URL: url } },
    )
    await asked
    process.kill(command.pid, 'SIGTERM')
    expect(await command.exited).toEqual({ code: 143, signal: null })
    silent.close()
  })

  test.each([
    ['a process', 'main', 0],
    ['a command', 'command', 143],
  ])('%s that hears it only when all its modules are evaluated ends all the same', async (_, way, code) => {
    const go = join(dir, `go-${way}`)
    const slow = join(REPOSITORY, 'test/ops/support/slowMain.ts')
    const starting = run(NODE, ['--import', join(REPOSITORY, 'ops/atBoot.ts'), slow, way, go])
    onTestFinished(async () => void (await starting.kill()))
    await starting.says(/busy/)
    process.kill(starting.pid, 'SIGTERM')
    await writeFile(go, '')
    expect(await starting.exited).toEqual({ code, signal: null })
  })

  test('whatever starts one of ours loads it first', async () => {
    for (const file of ['ops/start', 'ops/image/Dockerfile', 'ops/supervise/plan.ts'])
      expect(await readFile(join(REPOSITORY, file), 'utf8'), file).toMatch(/--import\W.*\bops\/atBoot\.ts/)
  })
})
