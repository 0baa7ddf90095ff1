import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { homeOf } from '../../../ops/purchase/kept/home.ts'
import { goodPasses, keepToken, type PassToken } from '../../../ops/purchase/kept/tokens.ts'
import { OUTCOMES, type Outcome } from '../../../ops/purchase/outcomes.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { snapshotOf, someCard } from '../../support/boards.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { someEvent, tell } from '../../support/feed.ts'
import { quietLog } from '../../support/ledger.ts'
import { freePort } from '../../support/ports.ts'
import { runMain, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

/** What ./ops/buy starts. */
const BUYER = 'ops/purchase/main.ts'

/** Every command against the real service on a real chain, in the order in which a buyer would come to them. */
let chain: TestChain
let service: Service
let redis: Redis
let dir = ''
let keyFile = ''
let eventIds: string[] = []

beforeAll(async () => {
  chain = await startTestChain({ blockTimeS: 1 })
  service = await startService({ chain, processes: 1 })
  redis = connectRedis(service.redis.url, { log: quietLog, name: 'test-commands' })
  await service.publish(snapshotOf('gapCards', { cards: [someCard()], unqualified: {} }))
  eventIds = await tell(redis, [someEvent(), someEvent({ kind: 'changed' })])
  dir = await mkdtemp(join(tmpdir(), 'microdata-commands-'))
  keyFile = join(dir, 'wallet.key')
  await writeFile(keyFile, chain.buyers[0]!.privateKey, { mode: 0o600 })
})
afterAll(async () => {
  redis?.disconnect()
  await service?.stop()
  await chain?.stop()
  await rm(dir, { recursive: true, force: true })
})

const start = (args: string[]) => runMain(BUYER, { args, env: { NO_COLOR: '1', DATA_DIR: dir } })

async function buy(args: string[]) {
  const running = start(args)
  const { code } = await running.exited
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

const base = () => ['--base', service.bases[0]!]
const paying = () => [...base(), '--key-file', keyFile, '--rpc', chain.rpcUrl]

/** With --json: one object on one line, and its exit code is that of the process. */
async function json(args: string[]) {
  const { code, stdout } = await buy([...args, '--json'])
  expect(stdout.endsWith('}\n')).toBe(true)
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ ok: code === 0, exitCode: code, outcome: expect.any(String) })
  return report
}

const spent = () => chain.balance(chain.receiver)
const secrets = /(feed|pass|permit|credit|unlock)_[A-Za-z0-9_-]{43}/

describe('before anything is bought', () => {
  test('list: what is sold, as a table and as JSON', async () => {
    const { code, stdout } = await buy(['list', ...base()])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\/x402\/v1\/spread +0\.001 +yes +\[q\] +\S/m)
    expect(stdout).toMatch(/^\/x402\/v1\/hour-pass +0\.5 {2,}\S/m) //  not covered by itself
    const report = await json(['list', 'gap', 'card', ...base()])
    expect(report).toMatchObject({ command: 'list', mode: 'sandbox', network: 'eip155:8453' })
    expect(report.services.map(({ sku }: { sku: string }) => sku)).toContain('SKU_AG_BOT_FUEL_01')
  })

  test('inspect: the 402 decoded; nothing is paid, no key is needed', async () => {
    const before = await spent()
    const report = await json(['inspect', '/x402/v1/spread', ...base()])
    expect(report).toMatchObject({
      command: 'inspect',
      status: 402,
      x402Version: 2,
      sku: 'SKU_AG_SPREAD_01',
      accepts: [
        {
          amountAtomic: '1000',
          amountUsdc: '0.001',
          network: 'eip155:8453',
          why: null,
          signs: {
            domain: { chainId: 8453, verifyingContract: chain.usdc },
            primaryType: 'TransferWithAuthorization',
            message: { to: chain.receiver, value: '1000' },
          },
        },
      ],
    })
    expect(report.extensions.map(({ name }: { name: string }) => name)).toContain('bazaar')
    const { stdout } = await buy(['inspect', 'SKU_AG_PING_01', ...base()])
    expect(stdout).toContain('0.01 USDC (10000 atomic), scheme exact')
    expect(stdout).toContain('Nothing was signed or paid.')
    const other = await buy(['inspect', 'SKU_INQUIRY_01', ...base()]) //  sold by card, at no path of its own
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('SKU_INQUIRY_01 is no read of')
    expect(await spent()).toBe(before)
  })
})

describe('an hour pass', () => {
  test('pass buys one and keeps it 0600; its token is not shown', async () => {
    const before = await spent()
    const { code, stdout } = await buy(['pass', ...paying()])
    expect(code).toBe(0)
    expect(stdout).toContain('600 calls left until')
    expect(stdout).not.toMatch(secrets)
    expect((await spent()) - before).toBe(500_000n)
    const [name] = await readdir(join(dir, 'purchases/tokens'))
    expect((await stat(join(dir, 'purchases/tokens', name!))).mode & 0o777).toBe(0o600)
  })

  test('--pass reads under it, and tells what is left', async () => {
    const before = await spent()
    const report = await json(['/x402/v1/spread', '--q', 'fed', '--pass', ...base()])
    expect(report).toMatchObject({
      outcome: 'bought',
      paidWith: 'pass',
      pass: { callsRemaining: 599 },
      signed: null,
      answer: { result: { spread: { found: true } } },
    })
    expect(await spent()).toBe(before)
  })

  test('pass again shows it and buys nothing; the token only when asked for', async () => {
    const before = await spent()
    const { stdout } = await buy(['pass', ...base()])
    expect(stdout).toContain('599 calls left')
    expect(await json(['pass', '--show', ...base()])).toMatchObject({
      pass: { callsRemaining: 599, token: expect.not.stringMatching(secrets) },
      purchase: null,
    })
    const shown = await json(['pass', '--show', '--show-secrets', ...base()])
    expect(shown.pass.token).toMatch(secrets)
    expect(await spent()).toBe(before)
  })
})

describe('store credit', () => {
  test('credits 2: locked with a secret from the start; the amount said is the limit', async () => {
    const report = await json(['credits', '2', ...paying()])
    expect(report).toMatchObject({
      command: 'credits',
      outcome: 'bought',
      credits: [{ agentId: chain.buyers[0]!.address.toLowerCase(), balanceUsdc: '2', claimCode: null }],
    })
    expect(JSON.stringify(report)).not.toContain('claimCode":"')
  })

  test('--credit spends it; the receipt verifies; what is left is told', async () => {
    const before = await spent()
    const report = await json(['/x402/v1/match', '--q', 'fed', '--credit', ...base()])
    expect(report).toMatchObject({
      outcome: 'bought',
      paidWith: 'credit',
      credit: { balanceUsdc: '1.999' },
      receipt: { valid: true },
    })
    expect(await spent()).toBe(before)
    expect((await buy(['credits', ...base()])).stdout).toContain('1.999 USD')
  })

  test('the same --idempotency-key again: the same answer, nothing debited', async () => {
    const again = ['/x402/v1/spread', '--credit', '--idempotency-key', 'k-1', ...base()]
    const first = await json(again)
    const second = await json(again)
    expect(second.answer).toEqual(first.answer)
    expect([first.credit, second.credit].map((credit) => credit?.balanceUsdc)).toEqual(['1.998', '1.998'])
    const account = chain.buyers[0]!.address.toLowerCase()
    expect(await json(['credits', ...base()])).toMatchObject({ credits: [{ agentId: account }] })
  })

  test('too dear for what there is: what can be spent is told', async () => {
    const { stdout, stderr } = await buy(['/x402/v1/alpha-7d', '--credit', ...base()])
    expect(stdout + stderr).toContain('can be spent: 1.998 USD')
  })
})

describe('the alpha feed', () => {
  test('--buy day buys a token once; the table of what is open, and where to go on', async () => {
    const before = await spent()
    const { code, stdout, stderr } = await buy(['feed', '--buy', 'day', '--max-usd', '1.49', ...paying()])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^gaps +7c +3\.27c +buy_a_sell_b/m)
    expect(stdout).toContain(`--from ${eventIds.at(-1)}`)
    expect(stdout).not.toContain('Signed') //  the purchase is reported apart from the feed
    expect(stderr).toContain('Signed')
    const again = await buy(['feed', '--buy', 'day', ...base()])
    expect(again.code).toBe(0)
    expect((await spent()) - before).toBe(1_490_000n)
  })

  test('--from lists what came behind an event', async () => {
    const report = await json(['feed', '--from', eventIds[0]!, ...base()])
    expect(report.feed.events.map(({ id }: { id: string }) => id)).toEqual([eventIds[1]])
  })

  test('--follow prints events as lines, over a restart of the service: each once', async () => {
    const running = start(['feed', '--follow', '--json', '--from', eventIds[0]!, '--count', '3', ...base()])
    await running.says(/"kind":"changed"/)
    await service.restartApi(0)
    await until('it has read the boards', async () => (await json(['feed', ...base()])).feed?.stale === false)
    const [id] = await tell(redis, [someEvent({ kind: 'closed' })])
    await running.says(/"kind":"closed"/)
    const told = running
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const events = told.filter(({ card }) => card !== undefined)
    expect(events.map((event) => event.id)).toEqual([eventIds[1], id])
    await running.kill()
  })

  test('without --json a line for people; --count ends it with 0', async () => {
    const { code, stdout } = await buy([
      'feed',
      '--follow',
      '--from',
      eventIds[0]!,
      '--count',
      '1',
      ...base(),
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^changed +\d\d:\d\d:\d\d gaps gap 7c edge 3\.27c/)
  })
})

describe('receipts', () => {
  let id = ''
  let reportFile = ''

  test('what was bought is listed, newest first', async () => {
    const { stdout } = await buy(['/x402/v1/ping', '--json', ...paying()])
    id = JSON.parse(stdout).receipt.attestationId
    reportFile = join(dir, 'report.json')
    await writeFile(reportFile, stdout)
    const { receipts } = await json(['receipts', ...base()])
    expect(receipts[0]).toMatchObject({ sku: 'SKU_AG_PING_01', attestationId: id, amountUsdc: '0.01' })
    expect((await buy(['receipts', ...base()])).stdout).toContain(id)
  })

  test('an answer that holds a token is kept whole, and shown without it', async () => {
    const { receipts } = await json(['receipts', ...base()])
    const sold = receipts.find(({ sku }: { sku: string }) => sku === 'SKU_AG_HOUR_PASS_01')
    expect((await buy(['receipts', sold.attestationId, ...base()])).stdout).not.toMatch(secrets)
    const shown = await buy(['receipts', sold.attestationId, '--show-secrets', ...base()])
    expect(shown.stdout).toMatch(secrets)
    expect((await buy(['verify', sold.attestationId, ...base()])).code).toBe(0)
  })

  test.each([
    [
      'a kept one by its id',
      () => [id, '--rpc', chain.rpcUrl],
      { response: true, service: true, chain: true },
    ],
    ['the report of a purchase', () => [reportFile], { response: true, service: true, chain: null }],
    [
      'offline, with the keys that were kept',
      () => [id, '--offline'],
      { response: true, service: null, chain: null },
    ],
  ])('verify %s', async (_, args, looked) => {
    const report = await json(['verify', ...args(), ...base()])
    const oks = Object.fromEntries(
      report.checks.map(({ name, ok }: { name: string; ok: boolean | null }) => [name, ok]),
    )
    expect(oks).toMatchObject({ key: true, signature: true, ...looked })
    expect(report).toMatchObject({ valid: true, outcome: 'done' })
  })

  test('verify of a receipt with a second amount before its own: unverified', async () => {
    const forged = join(dir, 'forged.json')
    const report = await readFile(reportFile, 'utf8')
    await writeFile(forged, report.replace('"amount":"', '"amount":"99","amount":"'))
    const { code, stderr } = await buy(['verify', forged, ...base()])
    expect({ code, stderr }).toMatchObject({
      code: OUTCOMES.unverified.exitCode,
      stderr: expect.stringContaining('a name twice'),
    })
  })

  test('a kept one of the sandbox is looked up at the node that it has now, not at the one before its restart', async () => {
    const gone = `http://127.0.0.1:${await freePort()}`
    const own = await mkdtemp(join(tmpdir(), 'microdata-restarted-'))
    const payer = [...base(), '--key-file', keyFile, '--rpc', gone]
    const { receipt } = await json(['/x402/v1/ping', '--data-dir', own, ...payer])
    const [url, { rpcUrl }] = [service.bases[0]!, chain]
    const clickhouse = { url, database: 'microdata', user: 'analyst', password: 'p' }
    const sandbox = { mode: 'sandbox', world: 'generator', pid: 1, url, operator: {}, buyers: [] }
    const kept = { ...sandbox, chain: { rpcUrl }, clickhouse, journal: clickhouse }
    await writeFile(join(own, 'sandbox.json'), JSON.stringify(kept))
    const { checks } = await json(['verify', receipt.attestationId, '--data-dir', own])
    await rm(own, { recursive: true })
    expect(checks.find(({ name }: { name: string }) => name === 'chain')).toMatchObject({ ok: true })
  })

  test('an id that is not kept here is asked of the service', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'microdata-elsewhere-'))
    const { code, stdout } = await buy(['verify', id, '--data-dir', elsewhere, ...base()])
    expect(code).toBe(0)
    expect(stdout).toContain('the answer is not here to be hashed')
    await rm(elsewhere, { recursive: true, force: true })
  })
})

describe('limits', () => {
  test('are kept, shown with what was spent today, and hold for every later purchase', async () => {
    const { code, stdout } = await buy(['limits', '--max-usd', '0.005', ...base()])
    expect(code).toBe(0)
    expect(stdout).toContain('A purchase   0.005 USD at most')
    expect(stdout).toMatch(/Today {8}4 USD in 4 purchases/) //  0.5 + 2 + 1.49 + 0.01
    const refused = await json(['/x402/v1/ping', '--max-usd', '1', ...paying()])
    expect(refused).toMatchObject({ outcome: 'refused', signed: null })
    expect(refused.message).toContain('./ops/buy limits --max-usd 0.01')
    const session = ['--session', 'x', '--max-session-usd', '0.0005']
    expect((await json(['/x402/v1/spread', ...session, ...paying()])).message).toContain('--max-session-usd')
    expect((await json(['limits', '--new', ...base()])).perCallUsd).toBe('1')
  })
})

describe('a canary', () => {
  const canary = (...args: string[]) => json(['canary', 'cross-venue', '--timeout', '4', ...args])
  const outcomes = (report: { reads: { path: string; outcome: string }[] }) =>
    Object.fromEntries(report.reads.map(({ path, outcome }) => [path.replace('/x402/v1/', ''), outcome]))

  test('buys what is due with the input of its 402, goes on where one is refused, and buys nothing twice', async () => {
    const before = await spent()
    const first = await canary('--days', '1', ...paying())
    //  there is no board of nets here
    expect(outcomes(first)).toEqual({ spread: 'bought', match: 'bought', net: 'refused' })
    expect(first).toMatchObject({ outcome: 'refused', mode: 'sandbox', days: 1 })
    expect(first.message).toMatch(/^1 of 3 went wrong, among them \/x402\/v1\/net: /)
    const { attestationId } = first.reads.find(({ path }: { path: string }) => path.endsWith('match'))
    const { purchase } = await json(['receipts', attestationId, ...base()])
    expect(purchase).toMatchObject({
      sku: 'SKU_AG_MATCH_01',
      url: `${service.bases[0]}/x402/v1/match?q=fed+rate`,
    })
    expect(outcomes(await canary(...paying()))).toEqual({
      spread: 'not_due',
      match: 'not_due',
      net: 'refused',
    })
    expect((await spent()) - before).toBe(2_000n)
  })

  test('says so line by line; what is above the limit, or asked for by no word, is not bought', async () => {
    const { code, stdout } = await buy(['canary', 'credit', ...paying()])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^0 bought · \d not due \(bought within 25 days\) · [23] above 1 USD · 0 left\n$/)
    const refused = await buy(['canary', 'nothing-like-this', ...paying()])
    expect(refused).toMatchObject({ code: OUTCOMES.usage.exitCode, stdout: '' })
    const nobody = await buy(['canary', '--base', 'http://127.0.0.1:9', '--key-file', keyFile])
    expect(nobody.code).toBe(OUTCOMES.unreachable.exitCode)
  })
})

describe('exit codes say what to do next', () => {
  test.each([
    ['done', ['completion', 'bash']],
    ['done', ['--help']],
    ['usage', ['list', '--follow']],
    ['usage', ['completion', 'fish']],
    ['usage', ['credits', '3', 'BASE']],
    ['usage', ['verify', '/nowhere/receipt.json', 'BASE']],
    ['usage', ['receipts', 'unknown-id', 'BASE']],
    ['refused', ['/x402/v1/credits-2', '--pass', 'BASE']], //        a pass does not cover it
    ['refused', ['/x402/v1/credits-2', '--credit', 'BASE']],
    ['refused', ['inspect', '/nothing-sold-here', 'BASE']],
    ['refused', ['/x402/v1/match', '--pass', 'BASE']], //            a bad parameter costs no call
    ['unverified', ['verify', 'unknown-id-1234', 'BASE']],
    ['unreachable', ['list', '--base', 'http://127.0.0.1:9']],
    ['used_up', ['/x402/v1/spread', '--pass', '--base', 'http://127.0.0.1:9']], // no pass of that service is kept
    ['used_up', ['/x402/v1/spread', '--credit', '--agent-id', 'nobody', 'BASE']],
    ['used_up', ['feed', '--base', 'http://127.0.0.1:9']],
  ] as [Outcome, string[]][])('%s: %j', async (outcome, args) => {
    const { code, stdout, stderr } = await buy(args.flatMap((word) => (word === 'BASE' ? base() : [word])))
    expect({ code, stdout, stderr }).toMatchObject({ code: OUTCOMES[outcome].exitCode })
    expect(stdout + stderr).not.toBe('')
  })

  test('a pass that the service does not know: 8, and it is forgotten', async () => {
    const pass: PassToken = {
      kind: 'pass',
      base: service.bases[0]!,
      token: `pass_${'x'.repeat(43)}`,
      callsRemaining: 1,
      expiresAt: new Date(Date.now() + 60_000).toISOString(), //  ends before the good one, so it is tried first
    }
    await keepToken(homeOf(dir), pass)
    expect(await json(['/x402/v1/spread', '--pass', ...base()])).toMatchObject({ outcome: 'used_up' })
    const left = await goodPasses(homeOf(dir), service.bases[0]!, Date.now())
    expect(left.map(({ token }) => token)).not.toContain(pass.token)
    expect(left).toHaveLength(1)
  })
})
