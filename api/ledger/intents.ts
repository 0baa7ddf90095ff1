import type { Redis } from 'ioredis'
import { z } from 'zod'
import { JsonText } from '../../ops/jsonText.ts'
import { storeNowMs } from '../../ops/redis.ts'
import { DAY, MINUTE } from '../../ops/units.ts'
import { createIntentClaims, type IntentClaims } from './intentClaims.ts'
import { intentClaimKey } from './intentKeys.ts'
import { KEYS } from './keys.ts'
import { createLookedLedger, type LookedLedger } from './looked.ts'
import { guarded, scriptsOn, writeOn } from './scripts.ts'
import { createSoughtLedger, type SoughtLedger } from './sought.ts'

/** What one written step of an intent changes beside its body. */
export type IntentStep = {
  body: string
  buyer: string //               digest; so are place and site
  place?: string
  site?: string
  price?: bigint
  waiting: boolean //            for money
  unanswered: boolean //         it has its money and nothing was answered yet
  watched?: boolean //           it gave credit for money that may still leave its chain
  forgetAtMs: number | null
  transfers: readonly string[] // RailTransfer.key of the transfers it takes now
}

/** An amount that an intent wants for its own. */
export type WantedAmount = {
  amount: string //      `<rail>:<atomic>`
  untilMs: number
  kinds: number //       how many there are at this price on this rail
}
/** Why it cannot have it: another intent waits for it, or this address already has its share of such amounts. */
export type AmountVerdict = 'free' | 'taken' | 'share'

/** An intent that has or had an amount to itself, since when by the ledger's clock, and until when. */
export type Holder = { intent: string; sinceMs: number; untilMs: number }

/**
 * Purchase intents: a body that only one writer at a time changes (by version), the amounts it waits for, the transfers
 * it took. Every method is one atomic, durable step that may be repeated. Names are digests: a reader of the ledger
 * cannot fulfil an intent.
 */
export type IntentLedger = SoughtLedger &
  LookedLedger &
  IntentClaims & {
    /**
     * @param at buyer, place (the address it is opened from, an IPv6 /64) and site (the /48) are digests.
     * @returns of each amount whether it is free, when not all of them are: then nothing is opened.
     */
    open(
      intent: string,
      body: string,
      at: {
        graceUntilMs: number
        buyer: string
        place?: string
        site?: string
        price?: bigint
        amounts: readonly WantedAmount[]
      },
    ): Promise<'opened' | 'too_many' | 'full' | readonly AmountVerdict[]>
    find(intent: string): Promise<{ version: number; body: string } | null>
    step(intent: string, version: number, step: IntentStep): Promise<'stored' | 'changed' | 'taken'>
    /** Which intent was the last to have this amount to itself, of those that had it by then. */
    hadBy(amount: string, byMs: number): Promise<Holder | null>
    /** Which intent saw this transfer on its way, before any other did. */
    seenBy(transfer: string): Promise<string | null>
    /** Notes that this intent saw it; only the first counts. */
    see(transfer: string, intent: string): Promise<void>
    /** Whether these transfers have paid for something, on any path. */
    spent(transfers: readonly string[]): Promise<boolean[]>
    /** Intents that wait for money, next in turn first. @param endedMs only those whose grace is over by then. */
    waiting(max: number, endedMs?: number): Promise<string[]>
    /** Intents that have had money since before then and no answer, oldest first. */
    unanswered(max: number, sinceMs: number): Promise<string[]>
    /** Looks at it again no sooner than then, so that others get their turn. No effect if no longer in that list. */
    putOff(intent: string, list: 'waiting' | 'unanswered', atMs: number): Promise<void>
    /** Intents whose money bought something and that are due for another look by then, longest due first. */
    unfinal(max: number, dueMs: number): Promise<string[]>
    /** @param atMs of the next look. */
    lookAgain(intent: string, atMs: number): Promise<void>
    /** Its money is final, or lost. @param version the one that was read; null: the intent is unknown. */
    unwatch(intent: string, version: number | null): Promise<'ended' | 'already' | 'changed'>
    reserveSlot(buyer: string): Promise<'reserved' | 'served' | 'sold_out'>
    slots(): Promise<{ fulfilled: number; reserved: number }>
  }

export type IntentLimits = {
  perBuyer: number
  perAddress: number
  perSite: number
  amountShare: number
  open: number
  kept: number
  saleSlots: number
  saleLeaseMs: number
}
export const INTENT_LIMITS: IntentLimits = {
  perBuyer: 20,
  perAddress: 1_000, //         a twentieth of all
  perSite: 2_000, //            an IPv6 /48 is 65,536 addresses of one customer
  amountShare: 2, //            one address, or /48, holds half of the amounts of a price on a rail
  open: 20_000,
  kept: 100_000, //             without money; the oldest are forgotten first, never one that has money
  saleSlots: 100,
  saleLeaseMs: 2 * MINUTE,
}
/** Unpaid intents that one step may forget: each step adds only one, so this keeps up. */
const FORGOTTEN_AT_ONCE = 100
/** The open intents of one price that an address may always have, however few amounts there are. */
const LEAST_SHARE = 5
/** Longer than an intent waits for what it has seen. */
const SEEN_KEPT_MS = 4 * DAY
/** Longer than an intent without money is kept. After that nobody knows whose an amount was. */
export const HAD_KEPT_MS = 32 * DAY

/**
 * An intent's name (a hex digest) as listed among the holders of an amount: an entry of more than 64 bytes costs the
 * store five times as much, and each intent is in one list per rail. Until 2026-11-23 the lists held the name itself.
 */
const shortOf = (intent: string): string =>
  /^[0-9a-f]{64}$/.test(intent) ? Buffer.from(intent, 'hex').toString('base64url') : intent
const longOf = (name: string): string =>
  /^[A-Za-z0-9_-]{43}$/.test(name) ? Buffer.from(name, 'base64url').toString('hex') : name

const Quoted = z.object({ quotes: z.array(z.object({ rail: z.string(), atomic: z.string() })) })
/** The amounts an intent asked for, by its body. */
function amountsIn(body: string | null): string[] {
  const read = JsonText.pipe(Quoted).safeParse(body)
  return read.success ? read.data.quotes.map(({ rail, atomic }) => `${rail}:${atomic}`) : []
}

export function createIntentLedger(redis: Redis, limits: IntentLimits = INTENT_LIMITS): IntentLedger {
  const run = scriptsOn(redis)
  const write = writeOn(redis)
  const keepBounded = async () => {
    const over = (await guarded(redis.zcard(KEYS.intents.kept))) - limits.kept
    if (over <= 0) return
    const oldest = await guarded(
      redis.zrange(KEYS.intents.kept, '0', String(Math.min(over, FORGOTTEN_AT_ONCE) - 1)),
    )
    const forget = async (intent: string) => {
      const amounts = amountsIn(await guarded(redis.hget(KEYS.intent(intent), 'body')))
      const keys = [KEYS.intent(intent), KEYS.intents.kept, ...amounts.map(KEYS.amount)]
      await run('intentForget', keys, [intent, shortOf(intent), intent])
    }
    await Promise.all(oldest.map(forget))
  }

  /** Owners of amounts that an earlier version reserved: those intents are still open, or were until a moment ago. */
  const formerOwners = async (amounts: readonly string[]): Promise<(string | null)[]> =>
    amounts.length === 0 ? [] : await guarded(redis.mget(amounts.map(KEYS.formerAmount)))

  return {
    ...createSoughtLedger(redis),
    ...createLookedLedger(redis),
    ...createIntentClaims(redis, limits.saleSlots),

    open: async (intent, body, { graceUntilMs, buyer, place = '', site = '', price = 0n, amounts }) => {
      const former = await formerOwners(amounts.map(({ amount }) => amount))
      if (former.some((owner) => owner !== null && owner !== intent))
        return former.map((owner) => (owner === null ? 'free' : 'taken'))
      const keys = [
        KEYS.intent(intent),
        KEYS.intents.waiting,
        KEYS.buyer(buyer),
        KEYS.place(place),
        KEYS.near(site || place, price),
        KEYS.site(site || place),
        ...amounts.map(({ amount }) => KEYS.amount(amount)),
      ]
      const { perBuyer, open, perAddress, perSite } = limits
      const most = ({ kinds }: WantedAmount) => Math.max(LEAST_SHARE, Math.floor(kinds / limits.amountShare))
      const args = [
        intent,
        body,
        graceUntilMs,
        perBuyer,
        open,
        perAddress,
        perSite,
        HAD_KEPT_MS,
        shortOf(intent),
      ]
      const each = amounts.flatMap((wanted) => [wanted.untilMs, most(wanted)])
      return run('intentOpen', keys, [...args, ...each])
    },

    find: async (intent) => {
      const [version, body] = await guarded(redis.hmget(KEYS.intent(intent), 'v', 'body'))
      return version == null || body == null ? null : { version: Number(version), body }
    },

    step: async (intent, version, step) => {
      const {
        body,
        buyer,
        place = '',
        site = '',
        price = 0n,
        waiting,
        unanswered,
        watched,
        forgetAtMs,
        transfers,
      } = step
      const keys = [
        KEYS.intent(intent),
        KEYS.intents.waiting,
        KEYS.intents.unanswered,
        KEYS.buyer(buyer),
        KEYS.intents.unfinal,
        KEYS.intents.kept,
        KEYS.place(place),
        KEYS.near(site || place, price),
        KEYS.site(site || place),
        ...transfers.map(KEYS.spent),
      ]
      const outcome = await run<'stored' | 'changed' | 'taken'>('intentStep', keys, [
        intent,
        version,
        body,
        intentClaimKey(intent),
        waiting ? 1 : 0,
        unanswered ? 1 : 0,
        forgetAtMs ?? 0,
        watched ? 1 : 0,
      ])
      if (outcome === 'stored' && forgetAtMs !== null) await keepBounded()
      return outcome
    },

    hadBy: async (amount, byMs) => {
      const [last, sinceMs] = await guarded(
        redis.zrevrangebyscore(KEYS.amount(amount), byMs, '-inf', 'WITHSCORES', 'LIMIT', 0, 1),
      )
      const [, untilMs, name] = /^(\d+):(.+)$/s.exec(last ?? '') ?? []
      if (name !== undefined)
        return { intent: longOf(name), sinceMs: Number(sinceMs), untilMs: Number(untilMs) }
      const [former] = await formerOwners([amount])
      return former == null ? null : { intent: former, sinceMs: 0, untilMs: byMs }
    },

    seenBy: (transfer) => guarded(redis.get(KEYS.seen(transfer))),

    see: async (transfer, intent) => {
      await write('SET', KEYS.seen(transfer), intent, 'PX', SEEN_KEPT_MS, 'NX')
    },

    spent: async (transfers) => {
      if (transfers.length === 0) return []
      const rows = await guarded(redis.mget(...transfers.map(KEYS.spent)))
      return rows.map((row) => row !== null)
    },

    waiting: (max, endedMs) =>
      guarded(redis.zrangebyscore(KEYS.intents.waiting, '-inf', endedMs ?? '+inf', 'LIMIT', 0, max)),

    unanswered: (max, sinceMs) =>
      guarded(redis.zrangebyscore(KEYS.intents.unanswered, '-inf', sinceMs, 'LIMIT', 0, max)),

    putOff: async (intent, list, atMs) => {
      await write('ZADD', KEYS.intents[list], 'XX', atMs, intent)
    },

    unfinal: (max, dueMs) =>
      guarded(redis.zrangebyscore(KEYS.intents.unfinal, '-inf', dueMs, 'LIMIT', 0, max)),

    lookAgain: async (intent, atMs) => {
      await write('ZADD', KEYS.intents.unfinal, 'XX', atMs, intent)
    },

    unwatch: (intent, version) =>
      run('intentUnwatch', [KEYS.intent(intent), KEYS.intents.unfinal], [intent, version ?? '']),

    reserveSlot: (buyer) =>
      run(
        'intentSlot',
        [KEYS.sale.served, KEYS.sale.reserved],
        [buyer, limits.saleSlots, limits.saleLeaseMs],
      ),

    slots: async () => {
      const nowMs = await guarded(storeNowMs(redis)) //  whose clock the leases end by
      const [fulfilled, reserved] = await Promise.all([
        guarded(redis.scard(KEYS.sale.served)),
        guarded(redis.zcount(KEYS.sale.reserved, nowMs, '+inf')),
      ])
      return { fulfilled, reserved }
    },
  }
}
