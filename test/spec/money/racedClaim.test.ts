import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Payment } from '../../../api/settlement/port.ts'
import { transferCall } from '../../api/settlement/payer.ts'
import { get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const SPREAD = '/x402/v1/spread'

let chain: TestChain
let service: Service
let url: string
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, worker: false, env: { SETTLE_WAIT_MS: '500' } })
  url = `${service.bases[0]}${SPREAD}`
  offer = await offerOf(service.bases[0]!, SPREAD)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** Legacy intents over the whole price, issued before anything was paid. */
const wholeIntents = (count: number) =>
  until('intents without a discount', async () => {
    const offered = (await get(url)).json.payment
    if (offered.amountAtomic === offer.amount) found.push(offered.intentId)
    return found.length >= count ? found : null
  })
const found: string[] = []

test('RPL-16 a legacy claim of an x402 settlement that is not written down yet: refused, and its buyer is still served', async () => {
  const [intentId] = await wholeIntents(1)
  const { header, signed, signature } = await payment(offer, chain.buyers[0]!)
  const waiting = await get(url, paid(header))
  expect([waiting.status, waiting.json.code]).toEqual([503, 'settlement_pending'])
  const settlement = { authorization: signed, signature, signer: 'ecdsa' } as unknown as Payment
  const txHash = await chain.send(chain.buyers[1]!, chain.usdc, transferCall(settlement))
  const theft = { 'x-payment': JSON.stringify({ intentId, txHash, paymentRail: 'usdc_base' }) }
  const refused = await Promise.all([get(url, theft), get(url, { ...theft, 'x-agent-id': signed.from })])
  expect(refused.map(({ json }) => json.code)).toEqual(['transfer_mismatch', 'transfer_mismatch'])
  await service.startWorker()
  const answer = await until('the buyer has his answer', async () => {
    const again = await get(url, paid(header))
    return again.status === 503 ? null : again
  })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.json.result.paymentAttestation.payload.transaction).toBe(txHash)
  expect((await get(url, theft)).json.code).toBe('transfer_mismatch')
})
