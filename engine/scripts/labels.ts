import { z } from 'zod'
import type { Market } from '../../ingest/contract/market.ts'
import { JsonText } from '../../ops/jsonText.ts'

const LabelledSide = z.object({
  title: z.string(),
  event_title: z.string().nullish(),
  yes_sub_title: z.string().nullish(),
  rules: z.string().nullish(),
  end_date: z.string().nullish(),
  close_time: z.string().nullish(),
  category: z.string().nullish(),
  id: z.union([z.string(), z.number()]).nullish(),
  ticker: z.string().nullish(),
  slug: z.string().nullish(),
  url: z.string().nullish(),
})

/** One line of a file of pairs, as described beside those files. A row without a label is judged and not scored. */
const LabelledPair = z.object({
  pair_id: z.string(),
  set: z.string().nullish(),
  label: z.enum(['same', 'inverted', 'not']).nullish(),
  gray: z.boolean().nullish(),
  relation: z.string().nullish(),
  a: LabelledSide,
  b: LabelledSide,
})
export type LabelledPair = z.infer<typeof LabelledPair>

/** @throws with the line that is no such row, and why. */
export function readPairs(text: string): LabelledPair[] {
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [readRow(line, index + 1)]))
}

function readRow(line: string, number: number): LabelledPair {
  const row = JsonText.pipe(LabelledPair).safeParse(line)
  if (row.success) return row.data
  const why = row.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  )
  throw new Error(`line ${number}: ${why.join('; ')}`)
}

/** The two markets of a labelled pair; what a row leaves out is unknown. */
export function marketsOf(pair: LabelledPair): { a: Market; b: Market } {
  return { a: marketA(pair.a), b: marketB(pair.b) }
}

const unknown = {
  seriesId: null,
  yesMeans: null,
  noMeans: null,
  exclusive: false,
  placeholder: false,
  tags: [],
  strike: null,
  tokenId: null,
  openMs: null,
  expectedMs: null,
  gameMs: null,
  fees: null,
} as const

function marketA(side: z.infer<typeof LabelledSide>): Market {
  const slug = side.slug ?? /\/market\/([^/?#]+)/.exec(side.url ?? '')?.[1] ?? null
  const id = String(side.id ?? slug ?? side.title)
  return {
    ...unknown,
    venue: 'a',
    marketId: id,
    eventId: side.event_title ?? id,
    eventTitle: side.event_title ?? '',
    title: side.title,
    outcome: null,
    rules: (side.rules ?? '').slice(0, 8_000),
    category: side.category ?? null,
    tags: [],
    slug,
    marketSlug: slug,
    url: side.url ?? '',
    closeMs: instant(side.end_date),
  }
}

function marketB(side: z.infer<typeof LabelledSide>): Market {
  const ticker = side.ticker ?? side.title
  const parts = ticker.split('-')
  const [eventTitle, title] =
    side.event_title == null && side.yes_sub_title == null
      ? splitTitle(side.title)
      : [side.event_title ?? '', side.title]
  return {
    ...unknown,
    venue: 'b',
    marketId: ticker,
    eventId: parts.length > 2 ? parts.slice(0, -1).join('-') : ticker,
    seriesId: parts[0]!,
    eventTitle,
    title: title === '' ? eventTitle : title,
    outcome: side.yes_sub_title ?? null,
    rules: (side.rules ?? '').slice(0, 8_000),
    category: side.category ?? null,
    tags: [],
    slug: null,
    marketSlug: null,
    url: side.url ?? '',
    closeMs: instant(side.close_time),
  }
}

/** Rows derived from listings write "event title: market title". */
function splitTitle(text: string): [string, string] {
  const question = text.indexOf('?: ')
  const at = question === -1 ? text.indexOf(': ') : question + 1
  return at === -1 ? ['', text] : [text.slice(0, at), text.slice(at + 2)]
}

function instant(text: string | null | undefined): number | null {
  if (text == null || text === '') return null
  const ms = Date.parse(text)
  return Number.isFinite(ms) && ms >= 0 ? ms : null
}
