import { z } from 'zod'

/** Rows that are wrong in one way each; they replace figures or words of every n-th market of an answer. */
export const BAD_ROWS = [
  'price_high', //     1.01
  'price_negative', // -0.01
  'price_nan', //      the text NaN
  'price_null',
  'price_tiny', //     1e-20
  'crossed', //        bid above ask
  'contradicting', //  yes and no do not make a dollar
  'zero_size', //      quotes without size
  'missing_id',
  'duplicate', //      the same market twice, prices differ
  'unit_switch', //    cents where dollars were
  'halted', //         not tradable
  'hostile_text', //   markup, right-to-left, 10 KB, instructions
  'hostile_slug', //   path and scheme tricks in slugs and tickers
] as const
export type BadRow = (typeof BAD_ROWS)[number]

export const Fault = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    retryAfterS: z.int().min(0).max(86_400).optional(),
    body: z.string().max(100_000).optional(),
  }),
  z.object({ kind: z.literal('body'), body: z.enum(['html', 'empty', 'array', 'null']) }), // with status 200
  z.object({ kind: z.literal('truncated_gzip') }),
  z.object({ kind: z.literal('slow'), ms: z.int().min(1).max(600_000) }),
  z.object({ kind: z.literal('hang') }), //                 no answer until the client gives up
  z.object({ kind: z.literal('reset') }), //                the connection breaks inside the body
  z.object({ kind: z.literal('huge'), bytes: z.int().min(1).max(1_000_000_000) }),
  z.object({
    kind: z.literal('cursor'),
    // ignored: always the first page; cycle: after `pages` pages back to the first cursor;
    // skip: one page is left out; cut: no further page; junk: a cursor nobody knows
    how: z.enum(['ignored', 'cycle', 'skip', 'cut', 'junk']),
    pages: z.int().min(1).max(1_000).default(3),
  }),
  z.object({ kind: z.literal('limit'), limit: z.int().min(1).max(1_000) }), // the page limit is reduced
  z.object({ kind: z.literal('freeze') }), //               content of the first request, fresh Date
  z.object({ kind: z.literal('stale'), ms: z.int().min(1) }), //  content from that long ago
  z.object({ kind: z.literal('skew'), ms: z.int() }), //    timestamps and Date moved, content not
  z.object({
    kind: z.literal('rows'),
    row: z.enum(BAD_ROWS),
    every: z.int().min(1).max(100_000).default(10),
  }),
])
export type Fault = z.infer<typeof Fault>

/**
 * Which requests a fault strikes: by venue and path prefix, skipping the first `skip`, then `times` of them (null:
 * all).
 */
export const Rule = z.object({
  venue: z.enum(['a', 'b']).optional(),
  path: z.string().default('/'),
  skip: z.int().min(0).default(0),
  times: z.int().min(1).nullable().default(1),
  fault: Fault,
})
export type Rule = z.infer<typeof Rule>
export type RuleInput = z.input<typeof Rule>

/** A rule in force. `frozenMs` and `cursors` are what freeze and cycle have to remember. */
export type Armed = Rule & {
  id: number
  seen: number
  struck: number
  frozenMs: number | null
  cursors: string[]
}

const MOST_RULES = 100

export type Faults = {
  add(rule: RuleInput): number
  remove(id: number): void
  clear(): void
  list(): { id: number; rule: Rule; seen: number; struck: number }[]
  /** The rules that strike this request; counts it. */
  strike(venue: 'a' | 'b', path: string): Armed[]
}

/** Rules are kept until they are cleared, struck out or not, so that their counts can be read. */
export function faultRules(): Faults {
  let rules: Armed[] = []
  let lastId = 0
  return {
    add(input) {
      const rule = Rule.parse(input)
      if (rules.length >= MOST_RULES) throw new Error(`at most ${MOST_RULES} fault rules; clear some`)
      lastId += 1
      rules.push({ ...rule, id: lastId, seen: 0, struck: 0, frozenMs: null, cursors: [] })
      return lastId
    },
    remove(id) {
      rules = rules.filter((rule) => rule.id !== id)
    },
    clear() {
      rules = []
    },
    list: () =>
      rules.map(({ id, seen, struck, frozenMs: _, cursors: __, ...rule }) => ({ id, rule, seen, struck })),
    strike(venue, path) {
      const hit: Armed[] = []
      for (const rule of rules) {
        if (rule.venue !== undefined && rule.venue !== venue) continue
        if (!path.startsWith(rule.path)) continue
        rule.seen += 1
        if (rule.seen <= rule.skip || (rule.times !== null && rule.struck >= rule.times)) continue
        rule.struck += 1
        hit.push(rule)
      }
      return hit
    },
  }
}
