import fc from 'fast-check'
import { pageText } from './spelling.ts'

/** A listing that changes from round to round, as its pages and as the rows that history has to hold of it. */
export type Listing = {
  venue: 'a' | 'b'
  event: fc.Arbitrary<Part>
  texts: fc.Arbitrary<Part>
  figures: fc.Arbitrary<Part & { exactVolume: string }>
  eventText(id: string, event: Part, markets: unknown[]): unknown
  marketText(id: string, shown: Shown, updated: Updated | null): unknown
}
type Part = { wire: Record<string, unknown>; means: Record<string, unknown>; exclusive?: boolean }
type Figures = Part & { exactVolume: string }
type Updated = { wire: string; ms: number }
export type Shown = { texts: Part; figures: Figures; isClosed: boolean }

export const ROUNDS = 5
const EVENTS = 8
const MARKETS = 40
/** More than a tenth gone at once is not believed. */
const MAY_VANISH = 3
const FIRST_UPDATE_MS = 1_790_000_000_000

const often = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    ...others.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
  )

const marketOf = ({ texts, figures }: Listing) =>
  fc.record({
    texts: fc.tuple(texts, texts),
    figures: fc.tuple(figures, figures, figures),
    clock: fc.constantFrom('none', 'steady', 'moves'),
    rounds: fc.array(
      fc.record({
        text: often(0, 1),
        figures: often(0, 1, 2),
        event: often(0, 1), //  of its page: its own or the next
        presence: often('open', 'closed', 'absent'),
        twice: often('no', 'first', 'last'),
        offset: fc.constantFrom('Z', '+02:00'),
      }),
      { minLength: ROUNDS, maxLength: ROUNDS },
    ),
  })
export type Story = { venue: 'a' | 'b'; pages: string[][]; rows: Expected }

export type QuoteRow = Record<string, unknown> & {
  round: number
  venue: string
  market_id: string
  venue_ms: number | null
}
export type Expected = {
  quotes: QuoteRow[] //                      in the order of their rounds, market by market
  markets: Map<string, Record<string, unknown>> //  as last stated
  closings: Map<string, number> //           how often each left
}

export const storyOf = (listing: Listing): fc.Arbitrary<Story> =>
  fc
    .record({
      events: fc.array(fc.tuple(listing.event, listing.event), { minLength: EVENTS, maxLength: EVENTS }),
      variants: fc.array(fc.array(often(0, 1), { minLength: EVENTS, maxLength: EVENTS }), {
        minLength: ROUNDS,
        maxLength: ROUNDS,
      }),
      markets: fc.array(marketOf(listing), { minLength: MARKETS, maxLength: MARKETS }),
      escaped: fc.array(fc.boolean(), { minLength: ROUNDS, maxLength: ROUNDS }),
    })
    .map(({ events, variants, markets, escaped }) => {
      const told = new Teller(listing)
      const pages = variants.map((variant, round) => {
        const shown = events.map((): unknown[] => [])
        for (const [at, market] of markets.entries()) {
          const id = `${listing.venue === 'a' ? '' : 'KXT-'}${at}`
          const { rounds, clock } = market
          const { text, event, twice, offset, presence: wanted } = rounds[round]!
          const { figures } = rounds[lastMoved(at, round)]!
          const presence = round === 0 || (wanted === 'absent' && at >= MAY_VANISH) ? 'open' : wanted
          const home = at % EVENTS
          const place = event === 0 || home % 4 === 3 ? home : home + 1
          const updated = clock === 'none' ? null : updatedAt(clock === 'steady' ? 0 : round, offset)
          const row = {
            texts: market.texts[text]!,
            figures: market.figures[figures]!,
            isClosed: presence === 'closed',
          }
          if (presence === 'absent') told.gone(id)
          else {
            //  a second row of the same market: older by a millisecond, or shown before where there is no clock
            const other = { ...row, figures: market.figures[(figures + 1) % 3]!, isClosed: false }
            const isTwice = presence === 'open' && twice !== 'no'
            const older = updated === null ? null : { ...updatedAt(0, 'Z', updated.ms - 1) }
            const hasClock = listing.venue === 'a' && updated !== null
            const lines = [listing.marketText(id, row, updated)]
            if (isTwice && (twice === 'first' || !hasClock))
              lines.unshift(listing.marketText(id, other, older))
            else if (isTwice) lines.push(listing.marketText(id, other, older))
            shown[place]!.push(...lines)
            if (presence === 'closed') told.gone(id)
            else
              told.open(round, id, {
                eventId: `E-${place}`,
                event: events[place]![variant[place]!]!,
                row,
                updated: hasClock ? updated : null,
              })
          }
        }
        const texts = shown.map((rows, at) => listing.eventText(`E-${at}`, events[at]![variant[at]!]!, rows))
        return [texts.slice(0, 4), texts.slice(4)].map(
          (half) => `[${half.map((each) => pageText(each, escaped[round])).join(',')}]`,
        )
      })
      return { venue: listing.venue, pages, rows: told.rows }
    })

/**
 * The round in which a market's figures moved last: a fifth of each page may move at once, since a page on which most
 * prices jump is refused.
 */
function lastMoved(at: number, round: number): number {
  for (let moved = round; moved > 0; moved--) if ((at + moved) % 5 === 0) return moved
  return 0
}

function updatedAt(round: number, offset: string, ms = FIRST_UPDATE_MS + 123 + round * 1_001): Updated {
  const local = new Date(ms + (offset === 'Z' ? 0 : 7_200_000)).toISOString()
  return { ms, wire: local.replace('Z', `456${offset}`) }
}

/** What is told of a market: a quote when a figure differs from the last one told, its newest text, and that it left. */
class Teller {
  readonly rows: Expected = { quotes: [], markets: new Map(), closings: new Map() }
  readonly #listing: Listing
  readonly #last = new Map<string, string>()

  constructor(listing: Listing) {
    this.#listing = listing
  }

  gone(id: string): void {
    if (!this.#last.delete(id)) return
    this.rows.closings.set(id, (this.rows.closings.get(id) ?? 0) + 1)
  }

  open(
    round: number,
    id: string,
    { eventId, event, row, updated }: { eventId: string; event: Part; row: Shown; updated: Updated | null },
  ): void {
    const { venue } = this.#listing
    const { means, exactVolume } = row.figures
    const exclusive = event.exclusive === true || row.texts.exclusive === true
    const market = { venue, market_id: id, event_id: eventId, exclusive, ...event.means, ...row.texts.means }
    this.rows.markets.set(id, market)
    const figures = JSON.stringify([means, exactVolume])
    if (this.#last.get(id) !== figures)
      this.rows.quotes.push({
        round,
        venue,
        market_id: id,
        ...means,
        venue_ms: updated?.ms ?? null,
      } as QuoteRow)
    this.#last.set(id, figures)
  }
}
