import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { payerOf, type RailWorld, startRailWorld } from '../../support/railWorld.ts'
import { type Service, startService } from '../../support/service.ts'

/** Real api and worker processes over the sandbox's Solana and Bitcoin servers. */
const BUYER = 'agent-of-other-rails'

let chain: TestChain
let rails: RailWorld
let service: Service
beforeAll(async () => {
  ;[chain, rails] = await Promise.all([startTestChain(), startRailWorld()])
  const { BASE_RPC_URL: _, RECEIVER_ADDRESS: __, ...env } = rails.env
  service = await startService({ chain, processes: 1, env })
})
afterAll(async () => {
  await service?.stop()
  await rails?.stop()
  await chain?.stop()
})

const post = async (path: string, body: object) => {
  const response = await fetch(`${service.bases[0]}${path}`, {
    method: 'POST',
    headers: { 'x-agent-id': BUYER },
    body: JSON.stringify({ buyerId: BUYER, ...body }),
  })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) }
}
const open = async (paymentRail: string) => {
  const said = await post('/purchase-intent', { sku: 'SKU_AG_HOUR_PASS_01', payload: {}, paymentRail })
  expect(said.status, said.text).toBe(402)
  return said.json.payment as {
    intentId: string
    asset: string
    amountAsset: string
    amountAtomic: string
    receiverAddress: string
  }
}
type Opened = Awaited<ReturnType<typeof open>>
const pay = (rail: 'sol' | 'btc', { receiverAddress, amountAtomic }: Opened) =>
  payerOf(rails, rail).pay(receiverAddress, BigInt(amountAtomic))
const fulfilled = async (body: object) => {
  let said = await post('/fulfill', body)
  await until('it is delivered', async () => {
    if (said.status !== 200) said = await post('/fulfill', body)
    return said.status === 200 || ![202, 503].includes(said.status)
  }).catch((error) => {
    throw new Error(`${error.message}: ${said.text}`)
  })
  expect(said.status, said.text).toBe(200)
  return said
}
const PART = { network: '', asset: '', transaction: '', payTo: '', amount: '', amountAtomic: '' }
/** What a receipt says about a transfer of exactly the amount asked for. */
const partOf = ({ receiverAddress: payTo, amountAsset: amount, amountAtomic }: Opened) => ({
  payTo,
  amount,
  amountAtomic,
})
const expectDelivered = async (
  said: Awaited<ReturnType<typeof post>>,
  { asset, amount, amountAtomic, ...paid }: Record<keyof typeof PART, string>,
) => {
  const { token, paymentAttestation } = said.json.result
  expect(paymentAttestation.payload).toMatchObject({
    sku: 'SKU_AG_HOUR_PASS_01',
    path: '/fulfill',
    asset: 'USD',
    ...paid,
    paid: [{ asset, amount, amountAtomic, ...paid }],
  })
  const { attestationId: id } = paymentAttestation
  const entries = await service.ledger.redis.xrange('sales', '-', '+')
  const sale = entries.map(([, [, text]]) => JSON.parse(text!)).find((one) => one.attestationId === id)
  expect(sale).toMatchObject({ chainId: 0, asset })
  const page = await get(`${service.bases[0]}/receipts/${id}`, { accept: 'application/json' })
  expect(page.json.attestation.payload).toEqual(paymentAttestation.payload)
  const verified = await get(`${service.bases[0]}/api/receipt-oracle/verify?id=${id}`)
  expect(verified.json).toMatchObject({ valid: true, kind: 'payment_receipt' })
  const read = await get(`${service.bases[0]}/x402/v1/spread`, { 'x-service-pass': token })
  expect(read.status, read.text).toBe(200)
}

describe('5.3 the classic path on other chains: intent, money, answer with its receipt', () => {
  test('SOL: intentId alone suffices', async () => {
    const payment = await open('sol')
    expect([payment.asset, payment.receiverAddress]).toEqual(['SOL', rails.receivers.solana.address])
    expect((await post('/fulfill', { intentId: payment.intentId })).status).toBe(202)
    const transaction = await pay('sol', payment)
    const said = await fulfilled({ intentId: payment.intentId })
    await expectDelivered(said, {
      network: 'solana',
      asset: 'SOL',
      transaction,
      ...partOf(payment),
    })
    expect((await post('/fulfill', { intentId: payment.intentId })).text).toBe(said.text)
  })

  test('SOL: the worker finds the money without a client; two intents at once each get their own', async () => {
    const [one, two] = [await open('sol'), await open('sol')]
    expect(one.amountAtomic).not.toBe(two.amountAtomic)
    const [txTwo, txOne] = [await pay('sol', two), await pay('sol', one)]
    await until(
      'the worker has taken both',
      async () => (await service.ledger.redis.zcard('intents:unanswered')) >= 2,
    )
    for (const [payment, tx] of [
      [one, txOne],
      [two, txTwo],
    ] as const) {
      const { result } = (await fulfilled({ intentId: payment.intentId })).json
      expect(result.paymentAttestation.payload.transaction).toBe(tx)
    }
  })

  test('BTC: its transaction is named once; after that intentId alone gives the same bytes', async () => {
    const payment = await open('btc')
    expect([payment.asset, payment.receiverAddress]).toEqual(['BTC', rails.receivers.bitcoin.address])
    const transaction = await rails.network.pay([
      { address: payment.receiverAddress, sats: Number(payment.amountAtomic) },
    ])
    const waiting = await post('/fulfill', { intentId: payment.intentId, txHash: transaction })
    expect(waiting.status, waiting.text).toBe(202)
    expect(waiting.json.settlement.confirmations).toEqual({ have: 0, need: 1 })
    await rails.network.mine(1)
    const said = await fulfilled({ intentId: payment.intentId, txHash: transaction })
    await expectDelivered(said, {
      network: 'bitcoin',
      asset: 'BTC',
      transaction,
      ...partOf(payment),
    })
    expect((await post('/fulfill', { intentId: payment.intentId })).text).toBe(said.text)
  })

  test('CLS-15 money of one rail is no money of another', async () => {
    const payment = await open('sol')
    const txHash = await pay('btc', await open('btc'))
    const said = await post('/fulfill', { intentId: payment.intentId, txHash, paymentRail: 'btc' })
    expect(said.status, said.text).toBe(409)
  })
})
