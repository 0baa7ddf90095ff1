import type { Redis } from 'ioredis'
import { DAY, MINUTE, SECOND } from '../../ops/units.ts'
import type { TokenKind } from '../entitlements/token.ts'
import { claimFields } from './claimHash.ts'
import { KEYS } from './keys.ts'
import type { ClaimKey, ClaimTerms, Sale } from './ledger.ts'
import { PAID_KEPT_MS } from './redis.ts'
import { guarded, scriptsOn, writeOn } from './scripts.ts'
import { cardMoney, createStrayLedger, type StrayLedger } from './strays.ts'

export const CARD_STATUSES = ['open', 'paid', 'expired', 'refunded'] as const
export type CardStatus = (typeof CARD_STATUSES)[number]

/** One card checkout as the ledger keeps it. Its id pays out like a bearer token, so only its digest is here. */
export type Checkout = {
  digest: string
  sku: string
  amountMicroUsdc: bigint
  agent: string //         digest of the agent id it was opened with, '' for none
  referral: string //      digest of the code that brought the buyer, '' for none
  from: CheckoutFrom | null // null: it no longer counts towards the checkouts its address may have open
  sessionId: string //     the provider's
  url: string //           where the buyer pays
  status: CardStatus
  claimed: boolean //      the sale has its claim: it was, or will be, answered
  requestHash: string //   of the request it was opened with; once claimed, of the one that was answered
  input: string | null //  JSON; only if the answer is composed again on payment
  draft: string | null //  JSON; null: input missing, or the claim has it, or expired and to be composed again
  createdMs: number
  expiresMs: number //     the provider takes no payment afterwards
}

/** Digests of the address a checkout is opened from (an IPv6 /64) and of its /48. */
export type CheckoutFrom = { place: string; site: string }

export type NewCheckout = Omit<Checkout, 'status' | 'claimed'>

/** What is undone when the money goes back, or redone when it returns: what was issued, and the sale in the journal. */
export type Undone = { issued: { kind: TokenKind; digest: string } | null; entry: Sale }

/** The sale of a paid checkout; the claim that answers it. */
export type CardSale = { terms: ClaimTerms; tx: string; paidMs: number }

/** Card checkouts in the ledger. Every method that changes something is one atomic step that may be repeated. */
export type CardLedger = StrayLedger & {
  /** Reserves room for one more, before the provider is asked; 'share': this address has used up its share of all. */
  room(digest: string, from: CheckoutFrom, expiresMs: number): Promise<'room' | 'full' | 'share'>
  /** The checkout is closed, or was never opened: its address may open another one. Where it came from is forgotten. */
  leave(checkout: Pick<Checkout, 'digest' | 'from'>): Promise<void>
  open(checkout: NewCheckout): Promise<void>
  find(digest: string): Promise<Checkout | null>
  /** @returns a number to pass on to what this look records; null: looked at within `gapMs`, or unknown. */
  look(digest: string, gapMs: number, againMs: number): Promise<number | null>
  /**
   * @param sale null: it cannot be claimed yet, or was before.
   * @returns 'taken': credit was granted for its money, which buys nothing else.
   */
  paid(checkout: Checkout, look: number, sale: CardSale | null, undone: Undone): Promise<CardBooked>
  end(
    checkout: Checkout,
    look: number,
    status: 'expired' | 'refunded',
    undone: Undone,
  ): Promise<'booked' | 'stale' | 'unknown'>
  /** The buyer has fetched the answer: kept for this long from the first time on; before, as long as the checkout. */
  fetched(digest: string, keepMs: number): Promise<void>
  /** The worker looks after it no longer, and it is forgotten in time; until then events and polls look. */
  unlook(digest: string): Promise<void>
  /** Moves one that cannot be looked at behind the others, so that it delays none. Only if listed, never forward. */
  postpone(digest: string, dueMs: number): Promise<void>
  /** Looks at it at this time, also if it looked after it no longer. Never forward. */
  lookAgain(digest: string, dueMs: number): Promise<void>
  /** Digests of open checkouts whose next look is due, at most `max`. */
  due(nowMs: number, max: number): Promise<string[]>
  /**
   * Since when the oldest paid checkout waits for its answer to be composed, by the ledger's clock; null: none does.
   */
  undrawnSinceMs(): Promise<number | null>
  /** Whether an event was already handled. */
  knowsEvent(id: string): Promise<boolean>
  noteEvent(id: string): Promise<void>
}
export type CardBooked = 'claimed' | 'paid' | 'taken' | 'stale' | 'unknown'

export const cardKey = (digest: string): ClaimKey => `card:${digest}`

/**
 * How long after its end an unpaid checkout is still looked at, if the provider does not say that it ended, and how long
 * after that it is told apart from an unknown one.
 */
export const UNPAID_KEPT_MS = 30 * DAY
/** Longer than the provider goes on sending an event again. */
const EVENT_KEPT_MS = 7 * DAY
const FIRST_LOOK_MS = 5 * SECOND
/** How long a checkout can be paid. */
export const CHECKOUT_LIFETIME_MS = 60 * MINUTE
/** Share of a sale that goes to its referral code: 5 %, rounded down. */
export const REFERRAL_SHARE_BPS = 500n
export const referralShare = (micro: bigint): bigint => (micro * REFERRAL_SHARE_BPS) / 10_000n

export type CardLimits = { open: number; perAddress: number; perSite: number; unpaidKept: number }
export const CARD_LIMITS: CardLimits = {
  open: 10_000, //      checkouts at once: in total,
  perAddress: 500, //   from one address (an IPv6 /64),
  perSite: 1_000, //    and from one IPv6 /48, which one customer has
  unpaidKept: 10_000, // ended unpaid, still known; beyond it the oldest is forgotten. Some 12 KB each
}

export function createCardLedger(redis: Redis, limits: CardLimits = CARD_LIMITS): CardLedger {
  const run = scriptsOn(redis)
  const keysOf = ({ digest, referral }: Checkout, { issued, entry }: Undone) => [
    KEYS.checkout(digest),
    KEYS.claim(cardKey(digest)),
    KEYS.claims.undelivered,
    KEYS.checkouts,
    KEYS.grant(issued),
    KEYS.referral(referral),
    KEYS.sales,
    KEYS.revoked(entry.attestationId),
    KEYS.undrawn,
    KEYS.checkoutsEnded,
  ]

  const follow = async (digest: string, dueMs: number | '') => {
    await run('cardFollow', [KEYS.checkout(digest), KEYS.checkouts], [digest, dueMs, UNPAID_KEPT_MS])
  }

  return {
    ...createStrayLedger(redis),

    room: (digest, { place, site }, expiresMs) =>
      run(
        'cardRoom',
        [KEYS.checkouts, KEYS.checkoutsAt(place), KEYS.checkoutsAround(site)],
        [digest, expiresMs, limits.open, limits.perAddress, limits.perSite],
      ),

    leave: async ({ digest, from }) => {
      if (from === null) return
      await guarded(
        Promise.all([
          redis.zrem(KEYS.checkoutsAt(from.place), digest),
          redis.zrem(KEYS.checkoutsAround(from.site), digest),
          redis.hdel(KEYS.checkout(digest), 'place', 'site'),
        ]),
      )
    },

    open: async (checkout) => {
      const { digest, createdMs } = checkout
      const fields = JSON.stringify({ ...fieldsOf(checkout), status: 'open' })
      const args = [digest, fields, createdMs + FIRST_LOOK_MS]
      await run('cardOpen', [KEYS.checkout(digest), KEYS.checkouts], args)
    },

    find: async (digest) => checkoutFromHash(digest, await guarded(redis.hgetall(KEYS.checkout(digest)))),

    look: async (digest, gapMs, againMs) => {
      const keys = [KEYS.checkout(digest), KEYS.checkouts]
      const drawn = await run<number>('cardLook', keys, [digest, gapMs, againMs])
      return drawn > 0 ? drawn : null
    },

    paid: (checkout, look, sale, undone) =>
      run(
        'cardPaid',
        [...keysOf(checkout, undone), KEYS.spent(cardMoney(checkout.sessionId))],
        [
          cardKey(checkout.digest),
          look,
          sale === null ? '' : JSON.stringify(saleFields(sale)),
          PAID_KEPT_MS,
          checkout.digest,
          shareOf(checkout),
          JSON.stringify(undone.entry),
        ],
      ),

    end: (checkout, look, status, undone) =>
      run('cardEnd', keysOf(checkout, undone), [
        cardKey(checkout.digest),
        look,
        status,
        checkout.digest,
        shareOf(checkout),
        JSON.stringify(undone.entry),
        limits.unpaidKept,
        KEYS.checkout(''),
        status === 'expired' ? UNPAID_KEPT_MS : PAID_KEPT_MS,
        PAID_KEPT_MS,
      ]),

    fetched: async (digest, keepMs) => {
      await writeOn(redis)('PEXPIRE', KEYS.claim(cardKey(digest)), keepMs, 'LT')
    },

    unlook: (digest) => follow(digest, ''),

    postpone: async (digest, dueMs) => {
      await writeOn(redis)('ZADD', KEYS.checkouts, 'XX', 'GT', dueMs, digest)
    },

    lookAgain: follow,

    due: (nowMs, max) => guarded(redis.zrangebyscore(KEYS.checkouts, '-inf', nowMs, 'LIMIT', 0, max)),
    undrawnSinceMs: async () => {
      const [, since] = await guarded(redis.zrange(KEYS.undrawn, '0', '0', 'WITHSCORES'))
      return since === undefined ? null : Number(since)
    },
    knowsEvent: async (id) => (await guarded(redis.exists(KEYS.cardEvent(id)))) === 1,
    noteEvent: async (id) => {
      await writeOn(redis)('SET', KEYS.cardEvent(id), '1', 'PX', EVENT_KEPT_MS)
    },
  }
}

const shareOf = ({ amountMicroUsdc }: Checkout) => referralShare(amountMicroUsdc).toString()

const saleFields = ({ terms, tx, paidMs }: CardSale): Record<string, string> => ({
  ...claimFields(terms, null),
  fp: terms.fingerprint,
  ph: terms.paymentHash,
  tx,
  log: '0',
  block: '0',
  blockMs: String(paidMs),
})

const fieldsOf = ({ digest, input, draft, from, amountMicroUsdc, ...rest }: NewCheckout) => ({
  ...rest,
  ...(from ?? {}),
  amount: amountMicroUsdc.toString(),
  ...(input === null ? {} : { input }),
  ...(draft === null ? {} : { draft }),
})

function checkoutFromHash(digest: string, hash: Record<string, string>): Checkout | null {
  if (hash.status === undefined) return null
  const text = (field: string) => hash[field] ?? ''
  return {
    digest,
    sku: text('sku'),
    amountMicroUsdc: BigInt(text('amount')),
    agent: text('agent'),
    referral: text('referral'),
    from: hash.place === undefined ? null : { place: hash.place, site: text('site') },
    sessionId: text('sessionId'),
    url: text('url'),
    status: text('status') as CardStatus,
    claimed: hash.claimed !== undefined,
    requestHash: text('requestHash'),
    input: hash.input ?? null,
    draft: hash.draft ?? null,
    createdMs: Number(text('createdMs')),
    expiresMs: Number(text('expiresMs')),
  }
}
