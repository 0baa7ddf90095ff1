import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { until } from '../../support/process.ts'
import { classicWorld, type Said, SECRET } from './world.ts'

/** One request sent twice, to two processes: to one of them the price of the rail is refused. */
const world = classicWorld()
const REPORT = { sku: 'SKU_INQUIRY_01', payload: {} } // 2.49
let buyers = 0
let buyer = ''
beforeEach(async () => {
  buyer = `twin-buyer-${buyers++}`
  await world.credits.deposit(`lot-${buyer}`, 1_000_000n, holder().account, holder().auth)
})
const holder = () => ({
  account: accountDigest(buyer),
  auth: creditAuthDigest(world.secret, buyer, SECRET),
})
const held = async () => (await world.credits.balance(holder()))!.heldMicro
const buy = (side: number, key: string) =>
  world.post(
    '/purchase-intent',
    { buyerId: buyer, creditSpendAuth: SECRET, ...REPORT },
    { side, headers: key === '' ? {} : { 'idempotency-key': key } },
  )

/** Whose price comes at once, and whose only when the other has been answered. The second to ask is refused. */
async function both(
  key: string,
  late: 'opened' | 'refused',
  meanwhile = async (): Promise<void> => {},
): Promise<[opened: Said, refused: Said]> {
  const rail = world.cash.rails.find(({ id }) => id === 'usdc_base')!
  const { quote } = rail
  onTestFinished(() => void Object.assign(rail, { quote }))
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let asks = 0
  rail.quote = async (micro) => {
    const isFirst = ++asks === 1
    if (!isFirst) asked.resolve()
    await asked.promise //  both hold the credit by now
    if (isFirst === (late === 'opened')) await answered.promise
    return asks === 2 && !isFirst ? { problem: 'price_unavailable' } : await quote(micro)
  }
  const first = buy(1, key)
  await until('the first asks for its price', () => asks === 1)
  const second = buy(0, key)
  const early = late === 'opened' ? second : first
  early.then(meanwhile).then(() => answered.resolve())
  return await Promise.all([first, second])
}

describe.each([
  ['with a key', 'k1'],
  ['without one', ''],
])(
  'CRD-02 a refusal gives no credit back that an open purchase of the same request counts on, %s',
  (_, key) => {
    test('opened a moment before: the other request gets that purchase', async () => {
      const { endHold } = world.credits
      onTestFinished(() => void Object.assign(world.credits, { endHold }))
      const left: bigint[] = []
      world.credits.endHold = async (...ended) => {
        const how = await endHold(...ended)
        left.push(await held())
        return how
      }
      const [opened, other] = await both(key, 'refused')
      expect(left.filter((micro) => micro === 0n)).toEqual([]) //  a third purchase could have it
      expect([opened.status, opened.json.payment.creditUsdc]).toEqual([402, '1'])
      expect([other.status, other.json.payment?.intentId]).toEqual([402, opened.json.payment.intentId])
      expect(await held()).toBe(1_000_000n)
    })

    test('opened a moment after: the credit is held again', async () => {
      const [opened, refused] = await both(key, 'opened')
      expect([refused.status, refused.json.code]).toEqual([503, 'price_unavailable'])
      expect([opened.status, opened.json.payment.creditUsdc]).toEqual([402, '1'])
      expect(await held()).toBe(1_000_000n)
    })
  },
)

describe('what was given back has gone into another purchase meanwhile', () => {
  test('that was answered: the late one is opened anew, with the credit that is there now', async () => {
    const third: Said[] = []
    const [late] = await both('', 'opened', async () => {
      third.push(await buy(1, ''))
      await world.credits.deposit(`more-${buyer}`, 500_000n, holder().account, holder().auth)
    })
    expect(third[0]!.json.payment.creditUsdc).toBe('1')
    expect([late.status, late.json.payment.creditUsdc]).toEqual([402, '0.5'])
    expect(await held()).toBe(1_500_000n)
  })

  test('that asks the same and got no answer: the late one gets that one', async () => {
    const [late] = await both('', 'opened', async () => {
      world.atFaultPoint = (name) => {
        world.atFaultPoint = () => {}
        throw new Error(name)
      }
      expect((await buy(1, '')).status).toBe(500)
    })
    expect([late.status, late.json.payment.creditUsdc, await held()]).toEqual([402, '1', 1_000_000n])
    const hold = KEYS.hold(world.nameOf(late.json.payment.intentId))
    expect(await world.store.redis.hget(hold, 'state')).toBe('held')
  })
})
