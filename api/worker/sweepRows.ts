import type { Redis } from 'ioredis'
import type { Metrics } from '../../ops/metrics.ts'
import { OPENING_SALE } from '../catalog/openingSale.ts'
import { PASS_CALLS } from '../entitlements/pass.ts'
import { PERMIT_CALLS } from '../entitlements/permit.ts'
import { openClaimFromHash } from '../ledger/claimHash.ts'
import { KEYS } from '../ledger/keys.ts'
import { BrokenRowError, guarded, scriptsOn } from '../ledger/scripts.ts'

/**
 * Rules that every single row obeys (faults.md section 4, I11, I4, I12 and I13). credit: 0 ≤ held ≤ balance.
 * undelivered: a settled claim without an answer is in the list of those; if not, it is put back, and answered then.
 * calls: a pass or permit has at most the calls that were sold; a broken one reads as unknown to its buyer. sale: the
 * opening sale has given and promised no more than it has. type: the row is what its name says, and an open claim can
 * be read.
 * Looking also keeps the referral accounts that are owed something and that an earlier version would have forgotten.
 */
const RULES = ['credit', 'undelivered', 'calls', 'sale', 'type'] as const
type Rule = (typeof RULES)[number]
export type Wrong = Record<Rule, number>
const NONE: Readonly<Wrong> = { credit: 0, undelivered: 0, calls: 0, sale: 0, type: 0 }

/** Keys looked at in one pass: some milliseconds of the store's time. */
const PAGES = 5
const PAGE = 1_000

/** Some of all rows, from `cursor` on. @returns where to go on, '0' after the last, and how many rows were wrong. */
export async function sweepRows(redis: Redis, cursor: string): Promise<{ cursor: string; wrong: Wrong }> {
  const wrong = { ...NONE }
  const run = scriptsOn(redis)
  const account = async (key: string): Promise<Rule | null> => {
    const [balance, held] = (await redis.hmget(key, 'balance', 'held')).map((figure) => Number(figure ?? 0))
    return held! >= 0 && held! <= balance! ? null : 'credit'
  }
  const claim = async (key: string): Promise<Rule | null> => {
    const [state, deliveredAt] = await redis.hmget(key, 'state', 'deliveredAt')
    if (deliveredAt !== null) return null
    const member = key.slice(KEYS.claim('').length)
    openClaimFromHash(member, await guarded(redis.hgetall(key)))
    if (state !== 'settled') return null
    return (await run('relist', [key, KEYS.claims.undelivered], [member])) === 1 ? 'undelivered' : null
  }
  const metered =
    (sold: number) =>
    async (key: string): Promise<Rule | null> => {
      const [calls, expires] = await redis.hmget(key, 'calls', 'expires')
      if (calls === null && expires === null) return null //  expired and forgotten since it was listed
      const isWhole = [calls, expires].every((figure) => /^\d{1,15}$/.test(figure ?? ''))
      return isWhole && Number(calls) <= sold ? null : 'calls'
    }
  const sale = async (): Promise<Rule | null> => {
    const [served, reserved] = await Promise.all([
      redis.scard(KEYS.sale.served),
      redis.zcard(KEYS.sale.reserved),
    ])
    return served + reserved > OPENING_SALE.slotsTotal ? 'sale' : null
  }
  const referral = async (key: string): Promise<null> => {
    await run('referralKeep', [key])
    return null
  }
  const looks = [
    { begins: KEYS.account(''), look: account },
    { begins: KEYS.claim(''), look: claim },
    { begins: 'referral:', look: referral }, // the key of no code is no key
    { begins: KEYS.grant({ kind: 'pass', digest: '' }), look: metered(PASS_CALLS) },
    { begins: KEYS.grant({ kind: 'permit', digest: '' }), look: metered(PERMIT_CALLS) },
  ]
  let next = cursor
  for (let page = 0; page < PAGES; page++) {
    const [following, keys] = await guarded(redis.scan(next, 'COUNT', PAGE))
    const rules = keys.map(async (key) => {
      const look = looks.find(({ begins }) => key.startsWith(begins))?.look
      return look === undefined ? null : await look(key).catch(typeOrThrow)
    })
    for (const rule of await guarded(Promise.all(rules))) if (rule !== null) wrong[rule]++
    next = following
    if (next === '0') break
  }
  const ofSale = next === '0' ? await guarded(sale().catch(typeOrThrow)) : null //  once per round
  if (ofSale !== null) wrong[ofSale]++
  return { cursor: next, wrong }
}

function typeOrThrow(error: Error): 'type' {
  if (!(error instanceof BrokenRowError) && !error.message.startsWith('WRONGTYPE')) throw error
  return 'type'
}

/** Goes through the whole ledger, a pass at a time. An alarm belongs on `ledger_rows_wrong` above 0. */
export function createRowsWatch({ redis, metrics }: { redis: Redis; metrics: Metrics }) {
  const gauge = metrics.gauge(
    'ledger_rows_wrong',
    'Rows against a rule of the ledger, when all were last looked at',
    {
      rule: RULES,
    },
  )
  let cursor = '0'
  let round: Wrong = NONE
  let last = round
  return async (): Promise<void> => {
    const swept = await sweepRows(redis, cursor)
    cursor = swept.cursor
    round = addUp(round, swept.wrong, (a, b) => a + b)
    if (cursor === '0') last = round
    for (const [rule, rows] of Object.entries(addUp(last, round, Math.max))) gauge.set({ rule }, rows)
    if (cursor === '0') round = NONE
  }
}

const addUp = (a: Wrong, b: Wrong, how: (a: number, b: number) => number): Wrong => ({
  credit: how(a.credit, b.credit),
  undelivered: how(a.undelivered, b.undelivered),
  calls: how(a.calls, b.calls),
  sale: how(a.sale, b.sale),
  type: how(a.type, b.type),
})
