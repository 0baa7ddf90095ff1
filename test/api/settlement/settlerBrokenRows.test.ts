import type { Redis } from 'ioredis'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey } from '../../../api/ledger/ledger.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { runSettler } from '../../../api/settlement/settler.ts'
import { settleLedgerOf } from '../../../api/worker/settleLedger.ts'
import { realClock } from '../../../ops/clock.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { openLedger, quietLog, someTerms } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { pay } from './payer.ts'
import { lower } from './vectors.ts'

let anvil: TestChain
let chain: ClosableChain
let server: TestRedis
let book: ReturnType<typeof openLedger>
let end: () => Promise<void>
let died: unknown
beforeAll(async () => {
  ;[anvil, server] = await Promise.all([startTestChain({ buyers: 3 }), startRedis({ appendfsync: 'always' })])
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog })
  book = openLedger(server.url)
})
afterAll(async () => {
  book?.close()
  await chain?.close()
  await Promise.all([anvil?.stop(), server?.stop()])
})
beforeEach(async () => {
  await book.redis.flushall()
  await book.redis.set(KEYS.fence, '1')
  await anvil.clients.node.setAutomine(true)
  died = null
  end = async () => {}
})
afterEach(() => end())

async function settle(): Promise<void> {
  const key = generatePrivateKey()
  await anvil.clients.node.setBalance({ address: privateKeyToAddress(key), value: 10n ** 18n })
  const abort = new AbortController()
  const settler = runSettler({
    ledger: settleLedgerOf(book.ledger, 8453, '1'),
    chain,
    rpcUrl: anvil.rpcUrl,
    chainId: 8453,
    key,
    clock: realClock,
    log: quietLog,
    metrics: createMetrics('test'),
    signal: abort.signal,
  })
  const done = settler.done.catch((error) => {
    died = error
  })
  end = async () => {
    abort.abort()
    await done
  }
}
async function claimed(buyer: number): Promise<string> {
  const payment = await pay(anvil.buyers[buyer]!, anvil.receiver)
  const key = authorizationKey(payment)
  const terms = someTerms({ payer: payment.authorization.from, asset: lower(anvil.usdc) })
  await book.ledger.claim(key, 'owner', terms, payment)
  return key
}
const stateOf = async (key: string) => (await book.ledger.find(key))?.state
const settled = (key: string) =>
  until('it is settled', async () => died !== null || (await stateOf(key)) === 'settled')
const txsOf = async (key: string) => (await book.redis.hget(KEYS.claim(key), 'txs'))?.split(',') ?? []

const BROKEN: [string, (redis: Redis, row: string) => Promise<unknown>][] = [
  ['a lease that is no number', (redis, row) => redis.hset(row, 'lease', 'wrong')],
  ['a lease that is a number to Lua alone', (redis, row) => redis.hset(row, 'lease', '1e3')],
  ['an amount that is no number', (redis, row) => redis.hset(row, 'amount', 'wrong')],
  ['a payment that is none', (redis, row) => redis.hset(row, 'payment', '{}')],
  ['another type', (redis, row) => redis.multi().del(row).set(row, 'wrong').exec()],
]

describe('DATA-08 one broken claim holds up nobody else', () => {
  test.each(BROKEN)('%s: the payment behind it is settled, and nothing is sent for it', async (_, spoil) => {
    const broken = await claimed(0)
    await spoil(book.redis, KEYS.claim(broken))
    const sound = await claimed(1)
    await settle()
    await settled(sound)
    expect([died, await stateOf(sound)]).toEqual([null, 'settled'])
    expect(await book.redis.zscore(KEYS.claims.settling, broken)).not.toBeNull() //  kept for whoever repairs it
    const nonce = broken.split(':').at(-1) as Hex
    expect(await chain.isUsed(lower(anvil.usdc), lower(anvil.buyers[0]!.address), nonce)).toBe(false)
  })

  test('broken while its transaction is under way: its neighbour and who comes later are settled; repaired, it is too', async () => {
    await anvil.clients.node.setAutomine(false)
    const [broken, sound] = [await claimed(0), await claimed(1)]
    await settle()
    await until('both are sent', async () => (await txsOf(broken)).length + (await txsOf(sound)).length === 2)
    expect(await txsOf(broken)).toEqual(await txsOf(sound))
    const row = KEYS.claim(broken)
    const lease = (await book.redis.hget(row, 'lease'))!
    await book.redis.hset(row, 'lease', 'wrong')
    await anvil.clients.node.setAutomine(true)
    await anvil.clients.node.mine({ blocks: 1 })
    await settled(sound)
    const later = await claimed(2)
    await settled(later)
    expect([died, await stateOf(sound), await stateOf(later)]).toEqual([null, 'settled', 'settled'])
    expect(await stateOf(broken)).toBe('settling')
    await book.redis.hset(row, 'lease', lease)
    await settled(broken)
    expect([died, await stateOf(broken)]).toEqual([null, 'settled'])
  })
})
