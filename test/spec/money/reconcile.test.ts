import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createIntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type Delivery, type Sale } from '../../../api/ledger/ledger.ts'
import { REFUND_HEAD } from '../../../api/payment/refundMark.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import type { Payment, Settled, TokenTransfer } from '../../../api/settlement/port.ts'
import { bookOne } from '../../../api/worker/books/bookUnknown.ts'
import {
  type BooksAsked,
  type BooksPorts,
  isUnexplained,
  joinBooks,
} from '../../../api/worker/books/joinBooks.ts'
import { createLedgerView } from '../../../api/worker/books/ledgerView.ts'
import { readOrder } from '../../../api/worker/books/order.ts'
import { noBooks, type WholeBooks, withPart } from '../../../api/worker/books/withPart.ts'
import { RefusedOrder } from '../../../ops/commandLine.ts'
import { HOUR } from '../../../ops/units.ts'
import { pay, transferCall } from '../../api/settlement/payer.ts'
import { lower, USDC } from '../../api/settlement/vectors.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { openLedger, quietLog, someTerms } from '../../support/ledger.ts'
import { RECONCILE, runMain } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let anvil: TestChain
let chain: ClosableChain
let redis: TestRedis
let book: ReturnType<typeof openLedger>
let from: bigint // first block of the test
beforeAll(async () => {
  ;[anvil, redis] = await Promise.all([startTestChain({ buyers: 2 }), startRedis({ appendfsync: 'always' })])
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await chain?.close()
  await Promise.all([anvil?.stop(), redis?.stop()])
})
beforeEach(async () => {
  await book.redis.del(KEYS.sales)
  await anvil.clients.node.mine({ blocks: 1 })
  from = (await chain.head('latest')).number + 1n
})

const ledgerView = () =>
  createLedgerView({
    redis: book.redis,
    ledger: book.ledger,
    chainId: 8453,
    intents: createIntentLedger(book.redis),
  })
async function joined(asked: BooksAsked, ports: BooksPorts & { nowMs: number }): Promise<WholeBooks> {
  let books = noBooks(asked)
  for await (const part of joinBooks(asked, ports)) books = withPart(books, part)
  return books
}
async function books(nowMs?: number): Promise<WholeBooks> {
  const { number, timeMs } = await chain.head('latest')
  const ledger = ledgerView()
  const asked = { chainId: 8453, asset: USDC, receivers: [lower(anvil.receiver)], from, until: number }
  return joined(asked, { chain, ledger, nowMs: nowMs ?? timeMs })
}
const classesOf = ({ classes }: WholeBooks) =>
  Object.fromEntries(
    Object.entries(classes).flatMap(([name, { count }]) => (count > 0 ? [[name, count]] : [])),
  )

async function claimed(): Promise<{ key: string; payment: Payment }> {
  const payment = await pay(anvil.buyers[0]!, anvil.receiver)
  const key = authorizationKey(payment)
  await book.ledger.claim(key, 'o', someTerms({ payer: payment.authorization.from, asset: USDC }), payment)
  return { key, payment }
}
async function submit(payment: Payment): Promise<Settled> {
  const tx = await anvil.send(anvil.buyers[1]!, anvil.usdc, transferCall(payment))
  const {
    kind: _,
    to: __,
    value: ___,
    ...settled
  } = (await chain.fateIn(...([USDC, payment.authorization.from, payment.authorization.nonce, tx] as const)))!
  return settled
}
const deliver = (key: string, settled: Settled, body = '{"ok":true}') =>
  book.ledger.deliver(key, {
    body,
    paymentResponse: 'p',
    attestationId: `a-${key}`,
    attestation: '{}',
    grant: null,
    sale: saleOf(key, settled),
  } satisfies Delivery)
const saleOf = (key: string, { tx, logIndex, blockMs }: Settled, change: Partial<Sale> = {}) =>
  ({
    atMs: blockMs,
    rail: 'usdc_base',
    purchasePath: 'x402',
    attestationId: `a-${key}`,
    tx,
    logIndex,
    payer: '0xbb',
    amountMicroUsdc: '10000',
    ...change,
  }) as Sale
async function sold(body?: string) {
  const { key, payment } = await claimed()
  const settled = await submit(payment)
  await book.ledger.recordSettled(key, settled, 8453)
  await deliver(key, settled, body)
  return { key, settled }
}
const stranger = (micro: bigint) =>
  anvil.send(
    anvil.buyers[1]!,
    anvil.usdc,
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [anvil.receiver, micro] }),
  )

describe('I1 every transfer that arrived is in exactly one class', () => {
  test('an answered sale is delivered, and explains its money', async () => {
    await sold()
    const found = await books()
    expect(classesOf(found)).toEqual({ delivered: 1 })
    expect([found.inflowMicroUsdc, found.unexplained]).toEqual([10_000n, []])
  })

  test('one answered with store credit is refunded', async () => {
    await sold(`${REFUND_HEAD}"x":1}`)
    expect(classesOf(await books())).toEqual({ refunded: 1 })
  })

  test('settled and not answered: redeemable, after two minutes refund due', async () => {
    const { key, payment } = await claimed()
    const settled = await submit(payment)
    await book.ledger.recordSettled(key, settled, 8453)
    expect(classesOf(await books(settled.blockMs + 120_000))).toEqual({ redeemable: 1 })
    expect(classesOf(await books(settled.blockMs + 120_001))).toEqual({ refund_due: 1 })
  })

  test('CRA-04 on chain and nowhere written down: found by its authorization', async () => {
    const { payment } = await claimed()
    await submit(payment)
    expect(classesOf(await books())).toEqual({ redeemable: 1 })
  })

  test('--book takes nothing from whom the ledger knows, and nothing that came to somebody else', async () => {
    const { payment } = await claimed()
    const { tx } = await submit(payment)
    const strange = await pay(anvil.buyers[0]!, anvil.buyers[1]!.address)
    const asked = { chainId: 8453, asset: USDC, receivers: [lower(anvil.receiver)] }
    const ports = { chain, ledger: ledgerView(), nowMs: Date.now() }
    for (const one of [tx, (await submit(strange)).tx])
      expect(await bookOne(book.redis, one, asked, ports)).toBe(0)
    expect(classesOf(await books())).toEqual({ redeemable: 1 })
  })

  test('a sale whose answer is no longer kept: its registry row stands for it', async () => {
    const { key } = await sold()
    await book.redis.del(`claim:${key}`)
    expect(classesOf(await books())).toEqual({ delivered: 1 })
  })

  test("a stranger's money, and a payment that never came to us, are unattributed, with their time", async () => {
    const tx = await stranger(777n)
    await submit(await pay(anvil.buyers[0]!, anvil.receiver))
    const { timeMs } = await chain.head('latest')
    const found = await books(timeMs + 3 * HOUR)
    expect(classesOf(found)).toEqual({ unattributed: 2 })
    expect(found.unexplained.map(({ why, microUsdc }) => [why, microUsdc])).toEqual([
      ['unattributed', 777n],
      ['unattributed', 10_000n],
    ])
    expect(found.unexplained[0]).toMatchObject({ tx, payer: lower(anvil.buyers[1]!.address) })
    const [arrived] = (await chain.transfers(USDC, tx)) as TokenTransfer[]
    expect(found.unexplained[0]!.atMs).toBe(arrived!.blockMs)
  })

  test('those of one block are told in their order there, whichever the node tells of first', async () => {
    await anvil.clients.node.setAutomine(false)
    const send = (index: number) =>
      anvil.clients.wallet.sendTransaction({
        account: privateKeyToAccount(anvil.buyers[index]!.privateKey),
        to: anvil.usdc,
        gas: 200_000n,
        maxPriorityFeePerGas: 10n ** BigInt(10 - index),
        maxFeePerGas: 10n ** 11n,
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [anvil.receiver, 5n] }),
      })
    const first = await send(0) //  mined in the order in which they are sent
    const second = await send(1)
    await anvil.clients.node.mine({ blocks: 1 })
    await anvil.clients.node.setAutomine(true)
    const { number: until, timeMs } = await chain.head('latest')
    let told = () => {}
    const later = new Promise<void>((resolve) => {
      told = resolve
    })
    const authorizationOf: typeof chain.authorizationOf = async (asset, tx, logIndex) => {
      if (tx === first) await later
      const found = await chain.authorizationOf(asset, tx, logIndex)
      if (tx === second) setImmediate(told)
      return found
    }
    const slow = Object.assign(Object.create(chain), { authorizationOf }) as typeof chain
    const asked = { chainId: 8453, asset: USDC, receivers: [lower(anvil.receiver)], from, until }
    const found = await joined(asked, { chain: slow, ledger: ledgerView(), nowMs: timeMs + 3 * HOUR })
    expect(found.unexplained.map(({ tx }) => tx)).toEqual([first, second])
  })

  test('I10 money for a claim that was proven void is named, until an operator has looked at it', async () => {
    const { key, payment } = await claimed()
    await book.ledger.recordRefused(key, 'expired', 'void')
    const { tx } = await submit(payment)
    const found = await books()
    expect(classesOf(found)).toEqual({ void: 1 })
    expect(found.unexplained).toMatchObject([{ why: 'void', tx, microUsdc: 10_000n, authorization: key }])
    const { timeMs: nowMs } = await chain.head('latest')
    const asked = { chainId: 8453, asset: USDC, receivers: [lower(anvil.receiver)] }
    const isOpen = () => isUnexplained(found.unexplained[0]!, asked, { chain, ledger: ledgerView(), nowMs })
    expect(await isOpen()).toBe(true)
    expect(await bookOne(book.redis, tx, asked, { chain, ledger: ledgerView(), nowMs })).toBe(1)
    expect([classesOf(await books()), await isOpen()]).toEqual([{ rebuilt: 1 }, false])
  })

  test('the classes add up to what arrived, whatever came', async () => {
    await sold()
    await stranger(5n)
    await sold(`${REFUND_HEAD}"x":1}`)
    await stranger(6n)
    const { classes, inflowMicroUsdc } = await books()
    expect(Object.values(classes).reduce((sum, { microUsdc }) => sum + microUsdc, 0n)).toBe(inflowMicroUsdc)
    expect(inflowMicroUsdc).toBe(20_011n)
  })
})

describe('I3 every booked sale has its money', () => {
  const GONE: Hex = `0x${'0d'.repeat(32)}`
  const journal = async (field: 'sale' | 'reversal', change: Partial<Sale>) => {
    const { number, timeMs } = await chain.head('latest')
    const settled = { tx: GONE, logIndex: 0, blockNumber: number, blockMs: timeMs }
    await book.redis.xadd(KEYS.sales, '*', field, JSON.stringify(saleOf('gone', settled, change)))
  }
  const gone = async () => (await books()).unexplained.map(({ why, tx }) => [why, tx])

  test('one whose transfer is on no chain is named; reversed it is not; restored it is again', async () => {
    await anvil.clients.node.mine({ blocks: 1 })
    await journal('sale', {})
    expect(await gone()).toEqual([['not_on_chain', GONE]])
    await journal('reversal', { purchasePath: 'reversed', amountMicroUsdc: '-10000' })
    expect(await gone()).toEqual([])
    await journal('reversal', { purchasePath: 'restored' })
    expect(await gone()).toEqual([['not_on_chain', GONE]])
  })

  test('sales of other rails are none of this chain', async () => {
    await anvil.clients.node.mine({ blocks: 1 })
    await journal('sale', { rail: 'sol' })
    expect(await gone()).toEqual([])
  })
})

describe('ops/reconcile', () => {
  const script = async (...args: string[]) => {
    const running = runMain(RECONCILE, {
      args: args,
      env: {
        LEDGER_REDIS_URL: redis.url,
        BASE_RPC_URL: anvil.rpcUrl,
        USDC_ADDRESS: anvil.usdc,
        RECEIVER_ADDRESS: anvil.receiver,
      },
    })
    const { code } = await running.exited
    return { code, out: running.stdout(), err: running.stderr() }
  }

  test('exit code 0 when all is explained, 1 when something is not; --json in micro-USDC', async () => {
    await sold()
    const good = await script('--from-block', String(from))
    expect([good.code, good.err]).toEqual([0, ''])
    expect(good.out).toMatch(/delivered +0\.01 USDC +1 transfers/)
    await stranger(777n)
    const bad = await script('--from-block', String(from), '--json')
    expect(bad.code).toBe(1)
    expect(JSON.parse(bad.out)).toMatchObject({
      inflowMicroUsdc: '10777',
      explainedMicroUsdc: '10000',
      unexplainedMicroUsdc: '777',
      unexplained: [{ why: 'unattributed', microUsdc: '777' }],
    })
    expect(bad.out).not.toContain(anvil.rpcUrl) //  the URL may hold a key
  })

  test('of the sandbox whose folder DATA_DIR or --data-dir names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'microdata-books-'))
    const { rpcUrl, usdc, receiver } = anvil
    const file = {
      chain: { rpcUrl, chainId: 8453, usdc, receiver },
      redis: { ledger: redis.url, pipeline: redis.url },
    }
    await writeFile(join(folder, 'sandbox.json'), JSON.stringify(file))
    await sold()
    const all = ['--from-block', String(from)]
    for (const [env, args] of [
      [{ DATA_DIR: folder }, []],
      [{}, ['--data-dir', folder]],
      [{ DATA_DIR: '/nowhere' }, ['--data-dir', folder]],
    ] as const) {
      const running = runMain(RECONCILE, { args: [...all, ...args], env })
      expect([(await running.exited).code, running.stderr()]).toEqual([0, ''])
      expect(running.stdout()).toMatch(/delivered +0\.01 USDC +1 transfers/)
    }
    await rm(folder, { recursive: true })
  })

  test('a chain that does not answer is neither: 2', async () => {
    const running = runMain(RECONCILE, {
      args: [],
      env: {
        LEDGER_REDIS_URL: redis.url,
        BASE_RPC_URL: 'http://127.0.0.1:9',
        RECEIVER_ADDRESS: anvil.receiver,
      },
    })
    expect((await running.exited).code).toBe(2)
    expect(running.stderr()).toContain('chain_unavailable')
  })

  test.each([
    [['--from-block', 'x']],
    [['--from-block', '5', '--to-block', '4']],
    [['--receiver', '0x12']],
    [['--what']],
    [['--rail', 'usdc_moon']],
    [['--book', '0x12']],
    [['--rebuild', '--open']],
    [['--rebuild', '--to-block', '9']],
    [['--rebuild', '--rail', 'usdc_eth']],
    [['--rebuild', '--receiver', `0x${'ab'.repeat(20)}`]],
    [['--open', '--rail', 'usdc_eth']],
    [['--book', `0x${'ab'.repeat(32)}`, '--from-block', '1']],
    [['--book', `0x${'ab'.repeat(32)}`, '--to-block', '9']],
    [['--book', `0x${'ab'.repeat(32)}`, '--json']],
    [['--book', `0x${'ab'.repeat(32)}`, '--force']],
  ])('%j is refused', (args) => expect(() => readOrder(args)).toThrow(RefusedOrder))

  test.each(['eth_base', 'eth_mainnet', 'sol', 'btc', 'usdc_moon'])(
    'rail %s: refused by the names of those whose transfers can be listed',
    (rail) => {
      expect(() => readOrder(['--rail', rail])).toThrow(
        new RefusedOrder(
          '--rail: must be one of usdc_base, usdc_eth, usdt_eth, usdc_polygon, usdc_arbitrum, sol_base',
        ),
      )
    },
  )

  test('order', () => {
    expect(readOrder(['--help'])).toBeNull()
    expect(readOrder(['--to-block', '9', '--receiver', anvil.receiver, '--json'])).toEqual({
      from: null,
      until: 9n,
      receivers: [lower(anvil.receiver)],
      json: true,
      action: 'join',
      transactions: [],
      force: false,
      rail: null,
      dataDir: '',
    })
  })
})
