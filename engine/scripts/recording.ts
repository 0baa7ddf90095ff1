import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import type { Market } from '../../ingest/contract/market.ts'
import type { Quote } from '../../ingest/contract/quote.ts'
import { parseScaled } from '../../ops/units.ts'

/*
 * A small reader of recordings for the pairing script alone: enough of both wire formats to judge texts and
 * to look at gaps. The service itself maps venue pages in ingest, field by field.
 */

const Manifest = z.object({
  frames: z.array(z.object({ at: z.string(), a: z.array(z.string()), b: z.array(z.string()) })),
})
const Text = z.string().nullish()
const MarketA = z.object({
  id: z.coerce.string(),
  question: Text,
  groupItemTitle: Text,
  description: Text,
  endDate: Text,
  startDate: Text,
  slug: Text,
  outcomes: Text,
  gameStartTime: Text,
  closed: z.boolean().nullish(),
  bestBid: z.number().nullish(),
  bestAsk: z.number().nullish(),
  negRiskOther: z.boolean().nullish(),
})
const EventA = z.object({
  id: z.coerce.string(),
  title: Text,
  slug: Text,
  negRisk: z.boolean().nullish(),
  category: Text,
  tags: z.array(z.object({ label: Text })).nullish(),
  markets: z.array(MarketA),
})
const MarketB = z.object({
  ticker: z.string(),
  title: Text,
  yes_sub_title: Text,
  rules_primary: Text,
  rules_secondary: Text,
  close_time: Text,
  open_time: Text,
  status: Text,
  yes_bid_dollars: Text,
  yes_ask_dollars: Text,
  strike_type: Text,
  floor_strike: z.number().nullish(),
  cap_strike: z.number().nullish(),
})
const EventB = z.object({
  event_ticker: z.string(),
  series_ticker: Text,
  title: Text,
  category: Text,
  mutually_exclusive: z.boolean().nullish(),
  markets: z.array(MarketB),
})

export type Recorded = { market: Market; quote: Pick<Quote, 'bidBps' | 'askBps'> }

/** One frame of a recording folder, both venues. */
export async function readRecording(
  folder: string,
  frame = 0,
): Promise<{ at: string; frames: number; a: Recorded[]; b: Recorded[] }> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')))
  const chosen = manifest.frames[frame]
  if (chosen === undefined)
    throw new Error(`${folder} has ${manifest.frames.length} frames, not one numbered ${frame}`)
  const read = async (files: string[]) =>
    (
      await Promise.all(
        files.map(
          async (file) => JSON.parse(gunzipSync(await readFile(join(folder, file))).toString()) as unknown[],
        ),
      )
    ).flat()
  return {
    at: chosen.at,
    frames: manifest.frames.length,
    a: (await read(chosen.a)).flatMap((event) => mapEventA(EventA.parse(event))),
    b: (await read(chosen.b)).flatMap((event) => mapEventB(EventB.parse(event))),
  }
}

const shared = {
  placeholder: false,
  seriesId: null,
  noMeans: null,
  tokenId: null,
  expectedMs: null,
  fees: null,
  url: '',
} as const

function mapEventA(event: z.infer<typeof EventA>): Recorded[] {
  return event.markets
    .filter((market) => market.closed !== true && market.question)
    .map((market) => ({
      market: {
        ...shared,
        venue: 'a',
        marketId: market.id,
        eventId: event.id,
        eventTitle: (event.title ?? '').slice(0, 500),
        title: market.question!.slice(0, 500),
        outcome: market.groupItemTitle || null,
        yesMeans: firstOutcome(market.outcomes),
        exclusive: event.negRisk === true,
        placeholder: market.negRiskOther === true,
        rules: (market.description ?? '').slice(0, 8_000),
        category: event.category ?? null,
        tags: (event.tags ?? []).flatMap(({ label }) => (label ? [label] : [])).slice(0, 20),
        strike: null,
        slug: event.slug ?? null,
        marketSlug: market.slug ?? null,
        openMs: instant(market.startDate),
        closeMs: instant(market.endDate),
        gameMs: instant(market.gameStartTime),
      },
      quote: {
        bidBps: market.bestBid == null ? null : Math.round(market.bestBid * 10_000),
        askBps: market.bestAsk == null ? null : Math.round(market.bestAsk * 10_000),
      },
    }))
}

function firstOutcome(outcomes: string | null | undefined): string | null {
  const list = z.array(z.string()).safeParse(JSON.parse(outcomes || '[]'))
  const first = list.success ? list.data[0] : undefined
  return first === undefined || first === 'Yes' ? null : first
}

function mapEventB(event: z.infer<typeof EventB>): Recorded[] {
  return event.markets
    .filter((market) => market.status == null || market.status === 'active')
    .map((market) => ({
      market: {
        ...shared,
        venue: 'b',
        marketId: market.ticker,
        eventId: event.event_ticker,
        eventTitle: (event.title ?? '').slice(0, 500),
        title: (market.title || event.title || market.ticker).slice(0, 500),
        outcome: market.yes_sub_title || null,
        yesMeans: null,
        exclusive: event.mutually_exclusive === true,
        rules: [market.rules_primary, market.rules_secondary].filter(Boolean).join('\n').slice(0, 8_000),
        category: event.category ?? null,
        tags: [],
        strike: strikeOf(market),
        slug: null,
        marketSlug: null,
        openMs: instant(market.open_time),
        closeMs: instant(market.close_time),
        gameMs: null,
      },
      quote: { bidBps: dollars(market.yes_bid_dollars), askBps: dollars(market.yes_ask_dollars) },
    }))
}

function strikeOf(market: z.infer<typeof MarketB>): Market['strike'] {
  const type = market.strike_type
  if (
    type !== 'greater' &&
    type !== 'greater_or_equal' &&
    type !== 'less' &&
    type !== 'less_or_equal' &&
    type !== 'between'
  )
    return null
  return { type, floor: market.floor_strike ?? null, cap: market.cap_strike ?? null }
}

function dollars(text: string | null | undefined): number | null {
  return text == null ? null : parseScaled(text, 4)
}

function instant(text: string | null | undefined): number | null {
  if (!text) return null
  const ms = Date.parse(text.replace(/^(\S+) (\S+?)\+00$/, '$1T$2Z'))
  return Number.isFinite(ms) && ms >= 0 ? ms : null
}
