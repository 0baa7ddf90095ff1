import fc from 'fast-check'
import { expect, test } from 'vitest'
import { referralShare } from '../../../api/ledger/cards.ts'
import { CHOICES, createTurns, SCHEDULES } from '../../support/turns.ts'
import {
  duty,
  type Ends,
  type Figures,
  figures,
  isAway,
  ORDER_NAMES,
  type Ports,
  type Reply,
  referred,
  type Scene,
  scene,
  settleDown,
  type Trouble,
  WEATHER,
} from './cardScenes.ts'
import { type Deed, stands } from './modelTill.ts'

const WORK = ['poll', 'event', 'worker', 'answers', 'open'] as const
const side = fc.constantFrom(0, 1) // which process
const place = fc.option(fc.nat({ max: 12 }), { freq: 1 })
const places = fc.array(fc.nat({ max: 12 }), { maxLength: 1 })
/** After how many calls it dies, and whose reply is lost. */
const fails = fc.oneof(
  { arbitrary: fc.constant({ dies: null, loses: [] as number[] }), weight: 4 },
  { arbitrary: fc.record({ dies: place, loses: places }), weight: 1 },
)
const deed = fc.record({ deed: fc.nat({ max: 1_000 }), nth: fc.constantFrom(0, 0, 0, 1), side, fails })
const weather = fc.constantFrom(...WEATHER)
/** @property work the most requests and passes that are made beside those that tell of what happens. */
const plansOf = (most: {
  orders: number
  begins: Deed[][]
  troubles: (Trouble | null)[]
  work: number
  events: number
  weather: number
  ends: Ends[]
}) =>
  fc.record({
    orders: fc.array(fc.constantFrom(...ORDER_NAMES), { minLength: 1, maxLength: most.orders }),
    begins: fc.constantFrom<Deed[]>(...most.begins), //  of the first
    booked: fc.constantFrom('not' as const, 'paid' as const, 'answered' as const),
    trouble: fc.constantFrom(null, null, null, ...most.troubles),
    work: fc.array(
      fc.record({
        kind: fc.constantFrom(...WORK, 'poll' as const),
        nth: fc.nat({ max: 20 }), //  of the checkouts, or of the events that were not taken yet
        side,
        fails,
      }),
      { maxLength: most.work },
    ),
    events: fc.array(fc.oneof({ arbitrary: deed, weight: 3 }, { arbitrary: weather, weight: most.weather }), {
      minLength: 2,
      maxLength: most.events,
    }),
    choices: CHOICES,
    ends: fc.constantFrom<Ends[]>(...most.ends),
  })
/** Few that meet find what needs an order of theirs, many find what needs many. */
const plans = fc.oneof(
  {
    weight: 2,
    arbitrary: plansOf({
      orders: 1,
      begins: [['pay'], ['pay', 'dispute']],
      troubles: [null, null, null, 'another sum'],
      work: 1,
      events: 2,
      weather: 0,
      ends: ['told'],
    }),
  },
  {
    weight: 1,
    arbitrary: plansOf({
      orders: 2,
      begins: [[], ['pay'], ['pay slowly'], ['pay', 'dispute']],
      troubles: ['another sum', 'the ledger has forgotten it'],
      work: 6,
      events: 7,
      weather: 1,
      ends: ['told', 'told and asked', 'asked'],
    }),
  },
)
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never
type Work = Plan['work'][number]
type By = Pick<Work, 'side' | 'fails'>

type Seen = Reply & { checkoutId: string; since: number; until: number }

/** All that the plan has, one call after the other. @returns what buyers were shown, and the story of it. */
async function happen(set: Scene, { work, events, choices, ends }: Plan) {
  const turns = createTurns(choices)
  const failures: unknown[] = []
  const seen: Seen[] = []
  const done: string[] = []
  let now = 0
  const doWork = async ({ kind, nth }: Work, ports: Ports) => {
    if (kind === 'worker' || kind === 'answers') return await duty(kind, ports)
    if (kind === 'open') return await set.open(ORDER_NAMES[nth % ORDER_NAMES.length]!, ports)
    if (kind === 'event') return ends === 'asked' ? undefined : await set.tell(nth, ports)
    const { checkoutId } = set.bought[nth % set.bought.length]!
    const since = now++
    seen.push({ ...(await set.poll(checkoutId, ports)), checkoutId, since, until: now++ })
  }
  const start = (name: string, { side, fails }: By, does: (ports: Ports) => unknown) =>
    void turns
      .turnOf(name)
      .then(() => does(set.portsOf(turns.process(name, fails.dies, fails.loses), side)))
      .catch((error) => void (isAway(error) || failures.push(error)))
  for (const [index, one] of work.entries()) start(`${index} ${one.kind}`, one, (ports) => doWork(one, ports))
  void (async () => {
    for (const [index, event] of events.entries()) {
      await turns.turnOf(typeof event === 'string' ? event : `deed ${index}`)
      if (typeof event === 'string') await set.change(event)
      else {
        const { sale } = set.bought[event.nth % set.bought.length]!
        done.push(`deed ${index}: ${set.till.act(sale, event.deed)} ${sale.sessionId}`)
        const news = set.till.events.at(-1)
        if (ends !== 'asked' && news) start(`news ${index}`, event, (ports) => set.tell(news, ports))
      }
    }
  })()
  const taken = await turns.run()
  expect(failures, taken.join('\n')).toEqual([])
  return { seen, now, story: [...taken, ...done, JSON.stringify([seen, set.till.sales])].join('\n') }
}

/** What the books have to say of a checkout, by what has become of its money. */
function wanted({ sale }: Scene['bought'][number], { hasToken, isGiven, price }: Figures, awaits: boolean) {
  const nothing = { isGiven: 0, works: hasToken ? false : null, isRevoked: false, netMicro: 0n }
  if (sale.paid === null) return nothing
  const seenTo = { ...nothing, isFollowed: false }
  if (!stands(sale))
    return { ...seenTo, status: 'refunded', isGiven: Math.min(isGiven, 1), isRevoked: isGiven > 0 }
  if (awaits) return { ...seenTo, status: 'paid' }
  return { ...seenTo, status: 'paid', isGiven: 1, works: hasToken ? true : null, netMicro: price }
}

/** The answer of a sale is always the same, and nobody is told to pay who was told that he has. */
function expectOneStory(replies: readonly Seen[], story: string) {
  const results = replies.flatMap(({ json }) => (json.result ? [JSON.stringify(json.result)] : []))
  expect(new Set(results).size, story).toBeLessThanOrEqual(1)
  const isUnpaid = ({ json }: Seen) => json.status === 'open' || json.status === 'expired'
  const isPaid = ({ json }: Seen) => json.status === 'paid' || json.status === 'refunded'
  const forgotten = replies.filter(
    (one) => isUnpaid(one) && replies.some((other) => isPaid(other) && other.until < one.since),
  )
  expect(forgotten, story).toEqual([])
}

test('OPS-19, I1, I3, I4 whatever happens at once, and whoever dies: in the end a card that stands paid has bought once, and one whose money went back has nothing that works', async () => {
  const happens = fc.asyncProperty(plans, async (plan) => {
    const { ends } = plan
    const set = await scene(plan)
    const { seen, now, story } = await happen(set, plan)
    const last = await settleDown(set, ends)

    let earned = 0n
    for (const [index, one] of set.bought.entries()) {
      const { sale, trouble, checkoutId, order } = one
      const told = await figures(one)
      const about = `checkout ${index}\n${story}\n${JSON.stringify(last)}`
      if (trouble !== null) {
        expect(told, about).toMatchObject({ isGiven: 0, waits: false })
        const isNoticed = trouble === 'another sum' || ends !== 'asked'
        if (isNoticed) expect(told.strays, about).toBe(stands(sale) ? 1 : 0)
        continue
      }
      const awaits = ends === 'told' && order === 'triage of what comes later' && !told.claimed
      expect(told, about).toMatchObject({ ...wanted(one, told, awaits), waits: false, strays: 0 })
      if (sale.paid === null) expect(['open', 'expired'], about).toContain(told.status)
      if (stands(sale)) earned += referralShare(told.price)

      const replies = seen.filter((reply) => reply.checkoutId === checkoutId)
      const shown = last[index]
      if (shown !== undefined && sale.paid !== null && shown.json.code !== 'answer_expired') {
        const { status, checkoutUrl, result } = shown.json
        const isShown = [status, checkoutUrl, result !== undefined]
        expect(isShown, about).toEqual(stands(sale) ? ['paid', null, true] : ['refunded', null, false])
      }
      if (shown !== undefined) replies.push({ ...shown, checkoutId, since: now, until: now })
      expectOneStory(replies, about)
    }
    expect((await referred()).earnedMicro, story).toBe(earned)
  })
  await fc.assert(happens, { numRuns: SCHEDULES, endOnFailure: true })
}, 3_600_000)
