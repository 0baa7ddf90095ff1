import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Rail, RailTransfer } from '../../../api/rails/rail.ts'
import type { Clock } from '../../../ops/clock.ts'
import type { JsonServer } from '../../../ops/sandbox/jsonServer.ts'
import { type Cluster, openCluster } from '../../../ops/sandbox/solana/cluster.ts'
import { serveSolana } from '../../../ops/sandbox/solana/server.ts'
import { newAddress, type Transaction, transfer } from '../../../ops/sandbox/solana/transaction.ts'
import { NOWHERE, type RailWorld, startRailWorld } from '../../support/railWorld.ts'
import { rpcError, startRpcProxy } from '../settlement/rpcProxy.ts'

let world: RailWorld
let sol: Rail
beforeAll(async () => {
  world = await startRailWorld()
  sol = world.rails().find('sol')!
})
afterAll(() => world?.stop())

const us = () => world.receivers.solana.address
const alternate = () => world.receivers.solanaAlternate.address
const plain = (to = us(), lamports = 1_000_000): Transaction =>
  transfer({ to, lamports, nowMs: Date.now(), slot: world.cluster.slot() })
/** An ordinary transfer to us, changed before it is mined. */
async function mined(change: (transaction: Transaction) => void): Promise<string> {
  const transaction = plain()
  change(transaction)
  return world.cluster.add(transaction)
}
const keysOf = ({ transaction }: Transaction): string[] => transaction.message.accountKeys

describe('RAIL-06: only the change of our own account in a finalised transaction without error', () => {
  test('meta.err is set: it moved nothing', async () => {
    const tx = await mined(({ meta }) => {
      meta.err = { InstructionError: [0, { Custom: 1 }] }
      meta.postBalances = [meta.preBalances[0]! - meta.fee, 0, 1]
    })
    expect(await sol.byHash(tx)).toBe('failed')
    expect((await sol.since(Date.now() - 60_000)).filter((one) => one.tx === tx)).toEqual([])
  })

  test.each([
    ['a token of another mint', newAddress()],
    ['wrapped SOL', 'So11111111111111111111111111111111111111112'],
  ])('%s for us changes no balance of ours', async (_, mint) => {
    const tx = await mined((transaction) => {
      transaction.meta.preBalances = [2_000_000, 5_000_000, 1]
      transaction.meta.postBalances = [1_995_000, 5_000_000, 1]
      const amount = { amount: '1000000', decimals: 9, uiAmount: 0.001, uiAmountString: '0.001' }
      transaction.meta.postTokenBalances = [{ accountIndex: 1, mint, owner: us(), uiTokenAmount: amount }]
    })
    expect(await sol.byHash(tx)).toEqual([])
  })

  test('a token account that we own is not our account', async () => {
    const tx = await mined((transaction) => {
      keysOf(transaction)[1] = newAddress() //  receives the rent; by the token program it is owned by us
      transaction.meta.postTokenBalances = [{ accountIndex: 1, owner: us() }]
    })
    expect(await sol.byHash(tx)).toEqual([])
  })

  test('by an inner instruction of some program: the balance says it', async () => {
    const tx = await mined((transaction) => {
      transaction.transaction.message.instructions = [{ accounts: [0, 1], data: '', programIdIndex: 2 }]
      transaction.meta.innerInstructions = [{ index: 0, instructions: [] }]
    })
    expect(await sol.byHash(tx)).toMatchObject([{ atomic: 1_000_000n, index: 1 }])
  })

  test('our account named in a lookup table', async () => {
    const tx = await mined((transaction) => {
      transaction.version = 0
      transaction.transaction.message.accountKeys = [newAddress(), keysOf(transaction)[2]!]
      transaction.meta.loadedAddresses = { writable: [newAddress(), us()], readonly: [newAddress()] }
      transaction.meta.preBalances = [10_000_000, 1, 7, 100, 3]
      transaction.meta.postBalances = [9_000_000 - 5_000, 1, 7, 1_000_100, 3]
    })
    expect(await sol.byHash(tx)).toMatchObject([
      { atomic: 1_000_000n, index: 3, key: `solana:${tx}:3`, to: us() },
    ])
  })

  test.each([
    ['the accounts of its lookup tables', [10_000_000, 1, 100], [9_000_000 - 5_000, 1, 1_000_100]],
    ['what everybody had before', [10_000_000], [9_000_000 - 5_000, 1]],
    ['what everybody had after', [10_000_000, 1], [9_000_000 - 5_000]],
  ])('a node that does not show %s is an outage: ours may be among them', async (_, before, after) => {
    const tx = await mined(({ transaction, meta }) => {
      transaction.message.accountKeys = [newAddress(), newAddress()]
      meta.preBalances = before
      meta.postBalances = after
    })
    await expect(sol.byHash(tx)).rejects.toMatchObject({ code: 'chain_unavailable' })
    await world.cluster.drop(tx)
  })

  test('what we send away is no transfer to us', async () => {
    const tx = await mined((transaction) => {
      transaction.transaction.message.accountKeys = [us(), newAddress(), keysOf(transaction)[2]!]
    })
    expect(await sol.byHash(tx)).toEqual([])
  })

  test('the alternate receiver, and both in one transaction', async () => {
    expect(await sol.byHash(await world.cluster.add(plain(alternate(), 7)))).toMatchObject([
      { to: alternate(), atomic: 7n },
    ])
    const both = await mined((transaction) => {
      transaction.transaction.message.accountKeys = [newAddress(), us(), alternate()]
      transaction.meta.preBalances = [1_000_000, 0, 5]
      transaction.meta.postBalances = [1_000_000 - 30 - 5_000, 10, 25]
    })
    expect(await sol.byHash(both)).toMatchObject([
      { to: us(), atomic: 10n, key: `solana:${both}:1` },
      { to: alternate(), atomic: 20n, key: `solana:${both}:2` },
    ])
    expect((await sol.since(Date.now() - 60_000)).filter(({ tx }) => tx === both)).toHaveLength(2)
  })

  test('the sender: the one account that lost, the fee aside; several have no name', async () => {
    const from = newAddress()
    expect(await sol.byHash(await world.cluster.pay(us(), 5, from))).toMatchObject([{ from }])
    const payer = newAddress()
    const sponsored = await mined((transaction) => {
      transaction.transaction.message.accountKeys = [newAddress(), us(), payer]
      transaction.meta.preBalances = [50_000, 0, 100]
      transaction.meta.postBalances = [45_000, 60, 40]
    })
    expect(await sol.byHash(sponsored)).toMatchObject([{ from: payer }])
    const shared = await mined((transaction) => {
      transaction.transaction.message.accountKeys = [newAddress(), us(), newAddress()]
      transaction.meta.preBalances = [50_000, 0, 100]
      transaction.meta.postBalances = [44_990, 20, 90]
    })
    expect(await sol.byHash(shared)).toMatchObject([{ from: null, atomic: 20n }])
  })
})

describe('a node that says less, or something else, than was asked', () => {
  /** @param answered what the node answers when it is asked for the transaction. */
  async function asked(answered: (transaction: Transaction) => unknown) {
    const transaction = plain()
    const proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
    const result = answered(structuredClone(transaction))
    proxy.treat(() => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) }))
    const mine = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
    return await mine.byHash(transaction.transaction.signatures[0]!).finally(() => proxy.close())
  }

  test('RAIL-06 it does not say whether it went well: an outage', async () => {
    expect(await asked((same) => same)).toMatchObject([{ atomic: 1_000_000n }])
    const silent = ({ meta: { err: _, ...meta }, ...rest }: Transaction) => ({ ...rest, meta })
    await expect(asked(silent)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('it does not know the time of its block: it is of now', async () => {
    const before = Date.now()
    const [{ atMs }] = (await asked((same) => ({ ...same, blockTime: null }))) as [RailTransfer]
    expect(atMs).toBeGreaterThanOrEqual(before)
  })

  test('CLS-02 it answers with another transaction, or finds one by its second signature', async () => {
    expect(await asked(() => plain())).toBe('unknown')
    const second = ({ transaction, ...rest }: Transaction) => {
      const signatures = [plain().transaction.signatures[0], ...transaction.signatures]
      return { ...rest, transaction: { ...transaction, signatures } }
    }
    expect(await asked(second)).toBe('unknown')
  })
})

describe('RAIL-05: lamports beyond what JSON holds', () => {
  test('our own balance at 2^53 is an outage, a stranger’s is not', async () => {
    const beyond = 2 ** 53
    const whale = await mined(({ meta }) => {
      meta.preBalances[0] = beyond * 4
      meta.postBalances[0] = beyond * 4 - 1_005_000
    })
    expect(await sol.byHash(whale)).toMatchObject([{ atomic: 1_000_000n }])
    const proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
    const transaction = plain()
    transaction.meta.preBalances[1] = beyond
    transaction.meta.postBalances[1] = beyond + 1_000_000
    proxy.treat(() => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: transaction }) }))
    const mine = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
    const asked = mine.byHash(transaction.transaction.signatures[0]!)
    await expect(asked).rejects.toMatchObject({ code: 'chain_unavailable' })
    await proxy.close()
  })
})

describe('RAIL-07: nothing counts before it is finalised', () => {
  let nowMs = Date.now()
  const clock: Clock = { nowMs: () => nowMs }
  let cluster: Cluster
  let server: JsonServer
  let waiting: Rail
  beforeAll(async () => {
    cluster = await openCluster({ path: null, clock, finalMs: 13_000 })
    server = await serveSolana({ cluster })
    waiting = world.rails({ SOLANA_RPC_URL: server.url }).find('sol')!
  })
  afterAll(() => server?.close())

  test('seen by the cluster and not final: unknown; final: found', async () => {
    const tx = await cluster.pay(us(), 42)
    expect(await waiting.byHash(tx)).toBe('unknown')
    expect(await waiting.since(Date.now() - 60_000)).toEqual([])
    nowMs += 14_000
    expect(await waiting.byHash(tx)).toMatchObject([{ atomic: 42n, confirmations: 32 }])
    expect(await waiting.since(Date.now() - 60_000)).toMatchObject([{ tx }])
  })

  test('dropped with its fork: never there', async () => {
    const tx = await cluster.pay(us(), 43)
    await cluster.drop(tx)
    nowMs += 14_000
    expect(await waiting.byHash(tx)).toBe('unknown')
    expect(await waiting.covers(nowMs)).toBe(false) //  a node that has forgotten it would also say that it never was
  })
})

describe('discovery', () => {
  test('every transaction is read once, and a second call asks for signatures only', async () => {
    const proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
    const mine = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
    for (let n = 0; n < 3; n++) await world.cluster.pay(us(), 100 + n)
    await mine.since(Date.now() - 60_000)
    const reads = proxy.count('getTransaction')
    expect(reads).toBeGreaterThanOrEqual(3)
    const tx = await world.cluster.pay(us(), 200)
    const found = (await mine.since(Date.now() - 60_000)).filter((transfer) => transfer.tx === tx)
    expect(found).toMatchObject([{ atomic: 200n }])
    expect(proxy.count('getTransaction')).toBe(reads + 1)
    await proxy.close()
  })

  test('a transaction that the node names and does not have is an outage, not an absence', async () => {
    const proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
    proxy.treat(({ method }) =>
      method === 'getTransaction'
        ? { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: null }) }
        : 'pass',
    )
    await world.cluster.pay(us(), 300)
    const mine = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
    const asked = mine.since(Date.now() - 60_000)
    await expect(asked).rejects.toMatchObject({ code: 'chain_unavailable' })
    await proxy.close()
  })

  test('CHN-05 a node that has forgotten that time is an outage: it names nothing of it, as if nothing had been', async () => {
    const proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
    let oldestS = 0
    const answers: Record<string, () => unknown> = {
      getFirstAvailableBlock: () => 7,
      getBlockTime: () => oldestS,
    }
    proxy.treat(({ method }) => {
      const result = answers[method]?.()
      return result === undefined
        ? 'pass'
        : { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) }
    })
    const mine = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
    const fromS = Math.floor(Date.now() / 1_000) - 2 * 86_400
    for (const [laterS, code] of [
      [0, null],
      [1, 'chain_unavailable'],
    ] as const) {
      oldestS = fromS + laterS
      const asked = mine.lookThrough(fromS * 1_000)
      expect(await asked.then(() => null).catch((error) => error.code)).toBe(code)
    }
    await proxy.close()
  })

  test('spam beyond the pages of one call is an outage', async () => {
    const proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
    const page = Array.from({ length: 1_000 }, () => ({
      signature: plain().transaction.signatures[0],
      err: null,
      blockTime: Math.floor(Date.now() / 1_000),
    }))
    const before: unknown[] = []
    proxy.treat(({ params: [, options] }) => {
      before.push((options as { before?: string }).before)
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: page }) }
    })
    const mine = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
    await expect(mine.since(Date.now() - 60_000)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(proxy.count()).toBeLessThanOrEqual(25)
    expect(before.slice(0, 3)).toEqual([undefined, page.at(-1)!.signature, page.at(-1)!.signature])
    await proxy.close()
  })
})

describe('a node that is none of ours', () => {
  test('live mode: another cluster is an outage', async () => {
    const env = {
      MODE: 'live',
      VENUES: 'live',
      PUBLIC_URL: 'https://example.com',
      BASE_RPC_URL: NOWHERE,
      BITCOIN_RECEIVER: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    }
    const live = world.rails(env).find('sol')!
    const tx = await world.cluster.pay(us(), 1)
    await expect(live.byHash(tx)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test.each([
    ['refuses', rpcError(-32602, 'no')],
    ['is behind', rpcError(-32005, 'behind')],
    ['answers nonsense', { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":{"slot":"x"}}' }],
    ['fails', { status: 502, body: '<html>' }],
  ])('%s: an outage', async (_, treatment) => {
    const proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
    proxy.treat(() => treatment)
    const mine = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
    const tx = await world.cluster.pay(us(), 1)
    await expect(mine.byHash(tx)).rejects.toMatchObject({ code: 'chain_unavailable' })
    await proxy.close()
  })
})
