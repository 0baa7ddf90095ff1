import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type Answer, get, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { startFacilitator, type TestFacilitator } from '../../support/facilitator.ts'
import { isStopped, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const HOUR_PASS = '/x402/v1/hour-pass'

let chain: TestChain
let facilitator: TestFacilitator
let service: Service
beforeAll(async () => {
  chain = await startTestChain()
  facilitator = await startFacilitator(chain)
})
afterAll(async () => {
  await facilitator?.close()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
const buy = (index: number, header: string): Promise<Answer> =>
  get(`${service.bases[index]}${HOUR_PASS}`, paid(header))
const sales = () => service.ledger.redis.xlen(KEYS.sales)
const passes = async () => (await service.ledger.redis.keys('grant:pass:*')).length

/** Kills the ledger while a request is stopped at a step, then lets it go on. @returns its answer, and what moved. */
async function dieUnder(point: string, header: string) {
  await service.restartApi(0, { FAULT_POINT: `${point}:stop` })
  facilitator.counts.settle = 0
  const before = await received()
  const asked = buy(0, header)
  const { pid } = service.apis[0]!
  await until('it stands still there', () => isStopped(pid))
  await service.ledgerRedis.kill()
  process.kill(pid, 'SIGCONT')
  const told = await asked
  return { told, settles: facilitator.counts.settle, moved: (await received()) - before }
}

const EVERY = ['CP1', 'CP2', 'CP3', 'CP4', 'CP8', 'CP9', 'CP10', 'CP11']
describe.each([
  { who: 'our own settler', hasFacilitator: false, points: EVERY },
  { who: 'a facilitator', hasFacilitator: true, points: ['CP3', 'CP5', 'CP7'] }, //  the others are the same steps
])(
  'DATA-01 the ledger dies under a request that lives on, and $who settles',
  ({ hasFacilitator, points }) => {
    beforeAll(async () => {
      const facilitatorUrl = hasFacilitator ? { facilitatorUrl: facilitator.url } : {}
      service = await startService({
        chain,
        ...facilitatorUrl,
        worker: true,
        env: { SETTLE_WAIT_MS: '3000' },
      })
    })
    afterAll(() => service?.stop())

    test.each(points)('%s: the same again is sold once', async (point) => {
      const { header } = await payment(await offerOf(service.bases[1]!, HOUR_PASS), chain.buyers[0]!)
      const [before, sold, issued] = [await received(), await sales(), await passes()]
      const { told, settles, moved } = await dieUnder(point, header)
      if (point === 'CP11') expect(told.status).toBe(200)
      else expect([told.status, told.json.code]).toEqual([503, 'ledger_unavailable'])
      if (told.status === 503) expect(Number(told.header('retry-after'))).toBeGreaterThan(0)
      if (['CP1', 'CP2', 'CP3'].includes(point)) expect([settles, moved]).toEqual([0, 0n]) //  not claimed yet

      await service.ledgerRedis.restart()
      const answer = await until(
        'answered',
        async () => {
          const again = await buy(1, header)
          return again.status === 503 || again.status === 409 ? null : again
        },
        45_000,
      )
      expect(answer.status, answer.text).toBe(200)
      if (told.status === 200) expect(answer.text).toBe(told.text)
      expect((await received()) - before).toBe(500_000n)
      expect([(await sales()) - sold, (await passes()) - issued]).toEqual([1, 1])
    })
  },
)
