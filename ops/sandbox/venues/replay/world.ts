import { basename } from 'node:path'
import { mirrored, stepAt } from '../book.ts'
import type { SeriesB, World } from '../world.ts'
import { type Listing, listingOf, ranked } from './listing.ts'
import { frameAt, type Recorded, type Recording, readObjects } from './recording.ts'
import { bookOfA, bookOfB, gridOfA } from './topOfBook.ts'

/** Frames held in memory: the one that is served and the one before it. */
const KEPT_FRAMES = 2

type LoadedFrame = { atMs: number; a: Listing; b: Listing }

/** Serves a recording as it was: at any instant the frame that was valid then. */
export function replayWorld(recording: Recording): World {
  const kept = new Map<number, LoadedFrame>()

  const frame = (nowMs: number): LoadedFrame => {
    const index = frameAt(recording, nowMs)
    const have = kept.get(index)
    if (have !== undefined) return have
    const { atMs, a, b } = recording.frames[index]!
    const read = (files: readonly string[]) => files.flatMap((file) => readObjects(recording.folder, file))
    const loaded = { atMs, a: listingOf('a', read(a)), b: listingOf('b', read(b)) }
    kept.set(index, loaded)
    if (kept.size > KEPT_FRAMES) kept.delete(kept.keys().next().value!)
    return loaded
  }

  const venue = (name: 'a' | 'b') => ({
    events: (nowMs: number, after: string | null, span: 'current' | 'past' | 'all') =>
      ranked(frame(nowMs)[name], after, span),
    event: (id: string, nowMs: number) => frame(nowMs)[name].byId.get(id) ?? null,
    market: (id: string, nowMs: number) => frame(nowMs)[name].markets.get(id) ?? null,
  })

  const search = (nowMs: number, passes: (market: Recorded) => boolean) => {
    for (const found of frame(nowMs).a.markets.values()) if (passes(found.object)) return found
    return null
  }

  return {
    name: `recording ${basename(recording.folder)}`,
    recorded: true,
    truth: () => null,
    a: {
      ...venue('a'),
      eventBySlug(slug, nowMs) {
        const { events, objects } = frame(nowMs).a
        return events.find(({ id }) => objects.get(id)?.slug === slug) ?? null
      },
      marketBy(key, value, nowMs) {
        if (key === 'token') return search(nowMs, (market) => tokensOf(market).includes(value))
        const field = key === 'slug' ? 'slug' : 'conditionId'
        return search(nowMs, (market) => market[field] === value)
      },
      book(token, nowMs) {
        const found = search(nowMs, (market) => tokensOf(market).includes(token))
        const yes = found === null ? null : bookOfA(found.object)
        if (found === null || yes === null) return null
        const first = tokensOf(found.object)[0] === token
        const last = Math.round(Number(found.object.lastTradePrice ?? 0) * 10_000)
        return {
          conditionId: String(found.object.conditionId ?? ''),
          tokenId: token,
          levels: first ? yes : mirrored(yes),
          tickBps: stepAt(gridOfA(found.object), 5_000),
          negRisk: found.object.negRisk === true,
          lastBps: first || last === 0 ? last : 10_000 - last,
          atMs: frame(nowMs).atMs,
        }
      },
    },
    b: {
      ...venue('b'),
      combos: () => [],
      book(ticker, nowMs) {
        const found = frame(nowMs).b.markets.get(ticker)
        return found === undefined ? null : bookOfB(found.object)
      },
      series: (nowMs) => seriesOf(frame(nowMs).b),
      feeChanges: () => [],
    },
  }
}

/** Recordings of prices alone carry no tokens: then no book can be asked for. */
function tokensOf(market: Recorded): string[] {
  if (typeof market.clobTokenIds !== 'string') return []
  try {
    const tokens: unknown = JSON.parse(market.clobTokenIds)
    return Array.isArray(tokens) ? tokens.map(String) : []
  } catch {
    return []
  }
}

/** Series are not recorded: their names come from the events, their fees are the plain ones. */
function seriesOf(listing: Listing): SeriesB[] {
  const found = new Map<string, SeriesB>()
  for (const event of listing.events) {
    if (found.has(event.series)) continue
    const object = listing.objects.get(event.id)
    found.set(event.series, {
      ticker: event.series,
      title: String(object?.title ?? event.series),
      category: String(object?.category ?? ''),
      frequency: 'custom',
      feeType: 'quadratic',
      feeMultiplier: 1,
    })
  }
  return [...found.values()].sort((x, y) => (x.ticker < y.ticker ? -1 : 1))
}
