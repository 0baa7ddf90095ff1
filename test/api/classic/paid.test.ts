import { describe, expect, test } from 'vitest'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { AttestationPayload } from '../../../api/receipts/attestation.ts'
import type { Cash } from './cash.ts'
import { BUYER, classicWorld, SECRET, signedFor } from './world.ts'

const world = classicWorld()
const PING = { sku: 'SKU_AG_PING_01', payload: { echo: 'hello' } }
type Opened = { paymentRail: string; amountAtomic: string }
const atomicOn = (options: Opened[], rail: string) =>
  BigInt(options.find(({ paymentRail }) => paymentRail === rail)!.amountAtomic)

/**
 * Pays in these parts, each a share of what its rail asks for.
 * @returns the receipt's payload, the answer and the journal's entry.
 */
async function buy(parts: [Parameters<Cash['send']>[0], (due: bigint) => bigint][], body: object = {}) {
  const { intentId, paymentOptions } = await world.open({ ...PING, ...body })
  const txs = parts.map(([rail, share]) =>
    world.cash.send(rail, { atomic: share(atomicOn(paymentOptions, rail)) }),
  )
  for (const [at, [paymentRail]] of parts.entries()) {
    const body = await signedFor({ buyerId: BUYER, intentId, txHash: txs[at]!, paymentRail })
    await world.post('/fulfill', body)
  }
  const said = await world.post('/fulfill', { buyerId: BUYER, intentId })
  expect(said.status, said.text).toBe(200)
  const { result } = said.json
  const payload = AttestationPayload.parse(result.paymentAttestation.payload)
  const response = JSON.parse(Buffer.from(said.header('payment-response')!, 'base64').toString())
  const [[, fields]] = (await world.store.redis.xrevrange(KEYS.sales, '+', '-', 'COUNT', 1)) as [
    [string, string[]],
  ]
  return { payload, response, result, txs, options: paymentOptions as Opened[], sale: JSON.parse(fields[1]!) }
}
const all = (due: bigint) => due
const byBuyer = { payer: BUYER, payTo: `0x${'ee'.repeat(20)}` }

describe('design 4, I19: a receipt states what moved, in its own units', () => {
  test.each([
    ['usdc_base', 'eip155:8453', 8453],
    ['usdc_polygon', 'eip155:137', 137],
  ] as const)('%s: one transfer of just the amount needs nothing besides', async (rail, network, chainId) => {
    const { payload, response, sale, txs, options } = await buy([[rail, all]])
    const sent = atomicOn(options, rail).toString()
    const stated = { network, amountAtomic: sent, asset: 'USDC', transaction: txs[0], ...byBuyer }
    expect(payload).toMatchObject({ ...stated, amount: String(Number(sent) / 1e6) })
    expect(payload).not.toHaveProperty('paid')
    expect(response).toMatchObject({ network, amount: sent, transaction: txs[0] })
    expect(sale).toMatchObject({ rail, chainId, asset: 'USDC', amountMicroUsdc: sent, creditMicroUsdc: '0' })
  })

  test('ETH: its worth in dollars, and the wei', async () => {
    const { payload, response, sale, txs, options } = await buy([['eth_base', all]])
    const wei = atomicOn(options, 'eth_base')
    expect(payload).toMatchObject({ asset: 'USD', amountAtomic: (wei / 400_000_000n).toString() })
    expect(payload.paid).toEqual([
      {
        network: 'eip155:8453',
        asset: 'ETH',
        decimals: 18,
        transaction: txs[0],
        ...byBuyer,
        amount: (Number(wei / 10n ** 9n) / 1e9).toFixed(9).replace(/0+$/, ''),
        amountAtomic: `${wei}`,
      },
    ])
    expect(response.amount).toBe(`${wei}`)
    expect(sale).toMatchObject({ chainId: 8453, asset: 'ETH', amountMicroUsdc: payload.amountAtomic })
  })

  test('credit and a transfer: both, which add up to the amount', async () => {
    const auth = creditAuthDigest(world.secret, BUYER, SECRET)
    await world.credits.deposit('lot-both', 4_000n, accountDigest(BUYER), auth)
    const bought = await buy([['usdc_base', all]], { creditSpendAuth: SECRET })
    const { payload, response, sale, txs, options } = bought
    const sent = atomicOn(options, 'usdc_base')
    expect(payload).toMatchObject({ asset: 'USD', amountAtomic: `${4_000n + sent}`, transaction: txs[0] })
    expect(payload.paid).toEqual([
      {
        network: 'eip155:8453',
        asset: 'USDC',
        decimals: 6,
        amount: `${Number(sent) / 1e6}`,
        amountAtomic: `${sent}`,
        ...byBuyer,
        transaction: txs[0],
      },
      {
        network: 'store-credit',
        asset: 'USD',
        decimals: 6,
        amount: '0.004',
        amountAtomic: '4000',
        payer: '',
        payTo: '',
        transaction: '',
      },
    ])
    expect(response.amount).toBe(`${sent}`)
    const entry = { rail: 'usdc_base', tx: txs[0], creditMicroUsdc: '4000' }
    expect(sale).toMatchObject({ ...entry, amountMicroUsdc: `${4_000n + sent}` })
  })

  test('credit alone: its receipt names it as every receipt of credit does; all of it in the journal, for no rail brought money', async () => {
    const auth = creditAuthDigest(world.secret, BUYER, SECRET)
    await world.credits.deposit('lot-alone', 1_000_000n, accountDigest(BUYER), auth)
    const body = { ...PING, buyerId: BUYER, creditSpendAuth: SECRET }
    const said = await world.post('/purchase-intent', body)
    expect(said.status, said.text).toBe(200)
    expect(said.json.result.paymentAttestation.payload.network).toBe('store-credit') //  as of every credit
    const [[, fields]] = (await world.store.redis.xrevrange(KEYS.sales, '+', '-', 'COUNT', 1)) as [
      [string, string[]],
    ]
    const sale = JSON.parse(fields[1]!)
    expect(sale).toMatchObject({ rail: 'store_credit', creditMicroUsdc: sale.amountMicroUsdc })
    expect(BigInt(sale.amountMicroUsdc)).toBeGreaterThan(0n)
  })

  test('more than was due: what moved, and what of it paid', async () => {
    const { payload, response, result, txs, options } = await buy([['usdc_base', (due) => due + 5_000n]])
    const due = atomicOn(options, 'usdc_base')
    expect(result.purchase.overpaid.creditUsdc).toBe(0.005)
    expect(payload).toMatchObject({ asset: 'USD', amountAtomic: `${due}` })
    expect(payload.paid).toMatchObject([{ amountAtomic: `${due + 5_000n}`, transaction: txs[0] }])
    expect(response.amount).toBe(`${due + 5_000n}`)
  })

  test('parts on two rails: each with its own transaction', async () => {
    const { payload, txs, options } = await buy([
      ['usdc_base', (due) => due / 2n],
      ['eth_base', all],
    ])
    const halves = [
      { network: 'eip155:8453', asset: 'USDC', amountAtomic: `${atomicOn(options, 'usdc_base') / 2n}` },
      { network: 'eip155:8453', asset: 'ETH', amountAtomic: `${atomicOn(options, 'eth_base')}` },
    ]
    expect(payload.paid).toMatchObject(halves.map((half, at) => ({ ...half, transaction: txs[at] })))
    expect(payload.asset).toBe('USD')
  })
})
