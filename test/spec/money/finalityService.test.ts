import { afterAll, beforeAll, expect, test } from 'vitest'
import { get, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'

let chain: TestChain
let service: Service
beforeAll(async () => {
  chain = await startTestChain({ blockTimeS: 1 })
  service = await startService({ chain, processes: 2, env: { FINALITY: '0.01:4' } })
  await service.restartApi(1, { SETTLE_WAIT_MS: '100' })
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const depthOf = async (hash: `0x${string}`) => {
  const { blockNumber } = await chain.clients.reads.getTransactionReceipt({ hash })
  return (await chain.clients.reads.getBlockNumber({ cacheTime: 0 })) - blockNumber + 1n
}

test('CHN-06 what is worth waiting for is answered at its depth', async () => {
  const offer = await offerOf(service.bases[0]!, PING)
  const { header } = await payment(offer, chain.buyers[0]!)
  const answer = await get(`${service.bases[0]}${PING}`, paid(header))
  expect(answer.status, answer.text).toBe(200)
  expect(await depthOf(answer.json.result.ping.txHash)).toBeGreaterThanOrEqual(4n)
})

test('I5 who does not wait so long gets 503, and the answer by sending the same again', async () => {
  const offer = await offerOf(service.bases[1]!, PING)
  const { header } = await payment(offer, chain.buyers[1]!)
  const first = await get(`${service.bases[1]}${PING}`, paid(header))
  expect([first.status, first.json.code]).toEqual([503, 'settlement_pending'])
  const answer = await until('it is answered', async () => {
    const again = await get(`${service.bases[1]}${PING}`, paid(header))
    expect([200, 503]).toContain(again.status)
    return again.status === 200 ? again : null
  })
  expect(await depthOf(answer.json.result.ping.txHash)).toBeGreaterThanOrEqual(4n)
})
