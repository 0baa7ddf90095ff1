import type { Redis } from 'ioredis'
import { KEYS } from '../../../api/ledger/keys.ts'
import { EPISODE_STREAM, EpisodeRow } from '../../../engine/contract/episodes.ts'
import { FEED_STREAM, type FeedCard, FeedEvent } from '../../../engine/contract/feed.ts'
import { gapAge } from '../../../engine/contract/gapCards.ts'
import { drainKey } from '../../../ops/drainBlock.ts'
import { instant } from '../../../ops/instant.ts'
import { DAY, HOUR, MINUTE } from '../../../ops/units.ts'
import { until } from '../../support/process.ts'
import { toldCard } from '../core/boards/support.ts'

/** A day of the market clock, and by how many whole days the real one is ahead: retention counts on the real one. */
const DAY_MS = Date.UTC(2026, 10, 20)
export const AHEAD_MS = Math.floor((Date.now() - DAY_MS) / DAY) * DAY - 2 * DAY
export const at = (hour: number, minute = 0): number => DAY_MS + hour * HOUR + minute * MINUTE

/** An entry of a stream as if it was written at this instant of the market clock. */
const add = (redis: Redis, stream: string, atMs: number, field: string, value: unknown) =>
  redis.xadd(stream, `${atMs + AHEAD_MS}-*`, field, JSON.stringify(value))

export const pairOf = (id: string): string => `a:A${id}|b:KXB-${id}`
export const cardIdOf = (id: string, openedMs: number): string => `${pairOf(id)}@${openedMs}`

type Told = { id: string; openedMs: number; atMs: number; card?: Partial<FeedCard> }

export function feedEvent(
  kind: FeedEvent['kind'],
  { id, openedMs, atMs, card = {} }: Told,
  topic: FeedEvent['topic'] = 'gaps',
): FeedEvent {
  const { ageMs } = gapAge(Math.max(0, atMs - openedMs))
  const life = { openedMs, ageMs, peakCents: card.gapCents ?? 5, everExecutable: true }
  const made = { ...toldCard({ id }, life), cardId: cardIdOf(id, openedMs), toldMs: atMs, ...card }
  return FeedEvent.parse({ kind, topic, atMs, snapshotVersion: 1, card: made })
}

export const tell = (redis: Redis, event: FeedEvent) => add(redis, FEED_STREAM, event.atMs, 'event', event)

export function episode(
  id: string,
  openedMs: number,
  closedMs: number,
  rest: Partial<EpisodeRow> = {},
): EpisodeRow {
  return EpisodeRow.parse({
    episode_id: cardIdOf(id, openedMs),
    pair_id: pairOf(id),
    topic: `Topic ${id}`,
    category: 'Economics',
    verdict: 'identity',
    market_a: `A${id}`,
    market_b: `KXB-${id}`,
    opened_at: instant(openedMs),
    peak_at: instant(openedMs),
    closed_at: instant(closedMs),
    open_cents: 5,
    peak_cents: 5,
    last_cents: 1,
    half_life_ms: null,
    ever_executable: true,
    samples: 3,
    why_closed: 'narrowed',
    ...rest,
  })
}

export const end = (redis: Redis, row: EpisodeRow) =>
  add(redis, EPISODE_STREAM, Date.parse(`${row.closed_at}Z`), 'episode', row)

/** An entry of the sales journal; `cardIds` null: one from before the journal had them. */
export function sell(
  ledger: Redis,
  atMs: number,
  cardIds: string[] | null,
  rest: Record<string, unknown> = {},
) {
  const sale = {
    eventId: `sale-${atMs}`,
    atMs: atMs + AHEAD_MS,
    sku: 'SKU_BOT_FUEL',
    path: '/x402/v1/bot-fuel',
    purchasePath: 'x402',
    rail: 'base-usdc',
    chainId: 8453,
    asset: '0xusdc',
    payer: '0xbuyer',
    amountMicroUsdc: '10000',
    tx: '0xtx',
    logIndex: 0,
    attestationId: 'att',
    snapshotVersion: 1,
    requestHash: 'r',
    responseHash: 's',
    mode: 'sandbox',
    ...(cardIds === null ? {} : { cardIds }),
    ...rest,
  }
  return add(ledger, KEYS.sales, atMs, 'sale', sale)
}

/** Waits until a drain has taken the newest entry of its stream. */
export const drained = (redis: Redis, stream: string, name: string) =>
  until(`${name} drained`, async () => {
    const [last] = await redis.xrevrange(stream, '+', '-', 'COUNT', 1)
    const [cursor, first] = await redis.hmget(drainKey(name), 'cursor', 'first')
    return last === undefined || (cursor === last[0] && first === null)
  })

export const historyDrained = async (redis: Redis) => {
  await drained(redis, EPISODE_STREAM, 'history-episodes')
  await drained(redis, FEED_STREAM, 'history-feed')
}
