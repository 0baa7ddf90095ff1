import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { startFacilitator, type TestFacilitator } from '../../support/facilitator.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'
const ATTEMPTS = 300
/** As many as honest payers may have under way (64), then one a second for the few seconds that the test takes. */
const MOST_ASKED = 64 + 30

let chain: TestChain
let facilitator: TestFacilitator
let service: Service
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  facilitator = await startFacilitator(chain)
  service = await startService({
    chain,
    processes: 1,
    worker: false,
    facilitatorUrl: facilitator.url,
  })
  offer = await offerOf(service.bases[0]!, PING)
})
afterAll(async () => {
  await service?.stop()
  await facilitator?.close()
  await chain?.stop()
})

const send = (header: string): Promise<Answer> => get(`${service.bases[0]}${PING}`, paid(header))
async function fromEmptyWallet(): Promise<Answer> {
  const privateKey = generatePrivateKey()
  const { header } = await payment(offer, { privateKey, address: privateKeyToAccount(privateKey).address })
  return await send(header)
}

test('RPL-18, FAC-14 whoever signs payments that no wallet pays does not make us ask a facilitator about each', async () => {
  const answers: Answer[] = []
  for (let round = 0; round < ATTEMPTS / 50; round++)
    answers.push(...(await Promise.all(Array.from({ length: 50 }, fromEmptyWallet))))
  expect(new Set(answers.map(({ status, json }) => `${status} ${json.code}`))).toEqual(
    new Set(['402 insufficient_funds']),
  )
  expect(facilitator.counts.verify).toBeLessThanOrEqual(MOST_ASKED)
  expect(facilitator.counts.verify).toBeGreaterThan(0)
}, 60_000)

test('and meanwhile who pays is served', async () => {
  const { header } = await payment(offer, chain.buyers[0]!)
  expect((await send(header)).status).toBe(200)
})
