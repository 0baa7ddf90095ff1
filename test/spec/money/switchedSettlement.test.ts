import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { startFacilitator, type TestFacilitator } from '../../support/facilitator.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'
const SELF = { SETTLEMENT: 'self', FACILITATOR_URL: '' }

let chain: TestChain
let facilitator: TestFacilitator
let service: Service
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  facilitator = await startFacilitator(chain)
  service = await startService({ chain, processes: 1, worker: false, env: { SETTLE_WAIT_MS: '300' } })
  offer = await offerOf(service.bases[0]!, PING)
})
afterAll(async () => {
  await service?.stop()
  await facilitator?.close()
  await chain?.stop()
})

const buy = (header: string) => get(`${service.bases[0]}${PING}`, paid(header))
const bought = (header: string) =>
  until('the same payment is answered', async () => {
    const answer = await buy(header)
    expect([200, 503]).toContain(answer.status) //  I5
    return answer.status === 200 ? answer.text : null
  })
async function restart(env: Record<string, string>): Promise<void> {
  await service.restartApi(0, env)
  await service.startWorker(env)
}
const received = async () => (await chain.balance(chain.receiver)) / BigInt(offer.amount)

describe('FAC-16, OPS-02 SETTLEMENT is changed while a claim is open: the same payment is settled by who settles now, once', () => {
  const remote = () => ({ SETTLEMENT: 'facilitator', FACILITATOR_URL: facilitator.url })

  test('from our own settler, which never came to it, to a facilitator', async () => {
    const { header } = await payment(offer, chain.buyers[0]!)
    expect((await buy(header)).json.code).toBe('settlement_pending')
    await restart(remote())
    const answer = await bought(header)
    expect(await bought(header)).toBe(answer)
    expect(facilitator.counts.settle).toBe(1)
    expect(await received()).toBe(1n)
  })

  test('from a facilitator that names a transaction nobody has ever seen (FAC-07) to our own settler', async () => {
    facilitator.persona = 'lies_success'
    const { header } = await payment(offer, chain.buyers[1]!)
    expect((await buy(header)).json.code).toBe('settlement_pending')
    await restart(SELF)
    const answer = await bought(header)
    expect(await bought(header)).toBe(answer)
    expect(await received()).toBe(2n)
  })
})
