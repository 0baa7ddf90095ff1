import type { Market } from '../../../ingest/contract/market.ts'
import { assign, type Edge } from './assign.ts'
import { EventIndex, type IndexedEvent } from './eventIndex.ts'
import { type Fingerprint, fingerprint } from './fingerprint.ts'
import { judgeFingerprints } from './judge.ts'
import { matchOutcomes } from './outcomes.ts'
import { REVIEWED, type Reviewed, reviewKey, reviewOf } from './reviewed.ts'
import { asksTheSame } from './sameText.ts'
import { shareTexts } from './shareTexts.ts'
import { isPair, type Judgement, type Reason, refuse } from './verdict.ts'
import { Vocabulary } from './vocabulary.ts'

/** Two markets sold as one question. */
export type Pair = {
  pairId: string
  a: string
  b: string
  verdict: 'identity' | 'inverted'
  reasons: Reason[]
}

/** A proposal that is not sold, and the share of words both ask with, 0 to 1. */
export type Refused = { a: Market; b: Market; reasons: Reason[]; similarity: number }

export const pairIdOf = (a: string, b: string): string => `a:${a}|b:${b}`

//  Past this the vocabulary holds mostly names of markets long closed; the owner starts a new pairer.
const WORDS_BOUND = 3_000_000
//  So many markets that hang together are told apart; in a larger knot all are taken for doubtful, and none is paired.
const KNOT_BOUND = 5_000

/**
 * All pairs of two venues, kept current market by market. A market whose text did not change is not judged
 * again; a new or edited one is compared with the events that share its rare words, which takes milliseconds.
 */
export class Pairer {
  readonly #vocabulary = new Vocabulary()
  readonly #index = { a: new EventIndex(this.#vocabulary), b: new EventIndex(this.#vocabulary) }
  readonly #markets = { a: new Map<string, Fingerprint>(), b: new Map<string, Fingerprint>() }
  readonly #edges = { a: new Map<string, Map<string, Edge>>(), b: new Map<string, Map<string, Edge>>() }
  readonly #tallies = new Map<Fingerprint, Tally>()
  readonly #refused = new Map<Reason, number>()
  readonly #pairs = new Map<string, Pair>()
  readonly #pairOf = { a: new Map<string, Pair>(), b: new Map<string, Pair>() }
  readonly #reviewed: ReadonlyMap<string, Reviewed>
  #couples = 0 //  edges in all
  #added = new Map<string, Pair>()
  #removed = new Set<string>()

  readonly #knotBound: number

  constructor(reviewed: readonly Reviewed[] = REVIEWED, knotBound = KNOT_BOUND) {
    this.#knotBound = knotBound
    this.#reviewed = new Map(reviewed.map((entry) => [reviewKey(entry.a, entry.b), entry]))
  }

  get pairs(): ReadonlyMap<string, Pair> {
    return this.#pairs
  }

  /** True when so many words have come and gone that a fresh pairer should take over. */
  get isWorn(): boolean {
    return this.#vocabulary.size > WORDS_BOUND
  }

  count(venue: 'a' | 'b'): number {
    return this.#markets[venue].size
  }

  market(venue: 'a' | 'b', marketId: string): Market | null {
    return this.#markets[venue].get(marketId)?.market ?? null
  }

  /** Proposals refused so far among the markets that are open now, by first reason. */
  refusedCounts(): Record<string, number> {
    const counts = new Map(this.#refused)
    counts.set('taken', this.#couples - this.#pairs.size)
    return Object.fromEntries([...counts].filter(([, count]) => count > 0))
  }

  /**
   * Proposals that are refused, judged again for showing, one event of A a step, from the `first` on. Changes nothing.
   */
  *refusedFrom(first: number): Generator<Refused[]> {
    let at = 0
    for (const event of this.#index.a.events.values()) {
      if (at++ < first) continue
      const refused: Refused[] = []
      const list = [...event.markets.values()]
      const proposed = this.#propose(list, event, 'a')
      matchOutcomes(list, proposed, (a, b) => {
        const judgement = this.#judge(a, b)
        if (!isPair(judgement))
          refused.push({ a: a.market, b: b.market, reasons: judgement.reasons, similarity: overlap(a, b) })
      })
      //  whoever goes through all events would otherwise leave this behind for all of them
      for (const other of proposed) other.telling = null
      yield refused
    }
  }

  /** Pairs that came and went since the last call. */
  drain(): { added: Pair[]; removed: string[] } {
    const changes = { added: [...this.#added.values()], removed: [...this.#removed] }
    this.#added = new Map()
    this.#removed = new Set()
    return changes
  }

  /** Adds markets without pairing them: the cheap half of a cold start, to be followed by `pairLoaded`. */
  load(market: Market): void {
    this.#share(market)
    const print = fingerprint(market, this.#vocabulary)
    this.#markets[market.venue].set(market.marketId, print)
    this.#index[market.venue].add(print)
  }

  /** Pairs everything loaded, event by event of venue A. Yields so that a caller can let others work. */
  *pairLoaded(eventsPerStep = 50): Generator<void> {
    let events = 0
    for (const event of this.#index.a.events.values()) {
      this.#meetEvent(event.markets.values(), event, 'a')
      if (++events % eventsPerStep === 0) yield
    }
    for (const event of this.#index.b.events.values()) event.telling = null //  read again when needed
    const seen = new Set<string>()
    for (const marketId of this.#edges.a.keys())
      if (!seen.has(marketId)) for (const reached of this.#settle('a', marketId)) seen.add(reached)
  }

  /** Adds a market or takes over its newest text. */
  set(market: Market): void {
    const { venue, marketId } = market
    const known = this.#markets[venue].get(marketId)
    if (known !== undefined && asksTheSame(known.market, market)) {
      shareTexts(market, known.market)
      known.market = market
      return
    }
    this.#share(market)
    const before = known === undefined ? [] : this.#forget(known)
    const print = fingerprint(market, this.#vocabulary)
    this.#markets[venue].set(marketId, print)
    const event = this.#index[venue].add(print)
    this.#meetEvent([print], event, venue)
    this.#settle(venue, marketId)
    for (const partner of before) this.#settle(venue === 'a' ? 'b' : 'a', partner)
  }

  remove(venue: 'a' | 'b', marketId: string): void {
    const known = this.#markets[venue].get(marketId)
    if (known === undefined) return
    for (const partner of this.#forget(known)) this.#settle(venue === 'a' ? 'b' : 'a', partner)
  }

  #share(market: Market): void {
    const sibling = this.#index[market.venue].events.get(market.eventId)?.markets.values().next().value
    if (sibling !== undefined) shareTexts(market, sibling.market)
  }

  /** Drops a market with its couples. @returns the partners it had. */
  #forget(print: Fingerprint): string[] {
    const { venue, marketId } = print
    const other = venue === 'a' ? 'b' : 'a'
    this.#index[venue].remove(print)
    this.#markets[venue].delete(marketId)
    for (const { reason, count } of this.#tallies.get(print) ?? [])
      this.#refused.set(reason, (this.#refused.get(reason) ?? 0) - count)
    this.#tallies.delete(print)
    const partners = [...(this.#edges[venue].get(marketId)?.keys() ?? [])]
    this.#couples -= partners.length
    for (const partner of partners) {
      const back = this.#edges[other].get(partner)
      back?.delete(marketId)
      if (back?.size === 0) this.#edges[other].delete(partner)
    }
    this.#edges[venue].delete(marketId)
    const pair = this.#pairOf[venue].get(marketId)
    if (pair !== undefined) this.#dropPair(pair)
    return partners
  }

  /** Compares some markets of an event with the events of the other venue that may be the same. */
  #meetEvent(markets: Iterable<Fingerprint>, event: IndexedEvent, venue: 'a' | 'b'): void {
    const list = [...markets]
    const proposed = this.#propose(list, event, venue)
    matchOutcomes(list, proposed, (x, y) => (venue === 'a' ? this.#meet(x, y, x) : this.#meet(y, x, x)))
  }

  /** Events of the other venue that may be the same as some markets of an event. */
  #propose(list: readonly Fingerprint[], event: IndexedEvent, venue: 'a' | 'b'): IndexedEvent[] {
    const words =
      list.length === event.markets.size
        ? event.words.keys()
        : new Set(list.flatMap((market) => this.#index[venue].wordsOf(market)))
    return this.#index[venue === 'a' ? 'b' : 'a'].propose(words, {
      wide: EventIndex.isWide(event),
      sport: event.sport,
      days: new Set(event.days.keys()),
    })
  }

  #meet(a: Fingerprint, b: Fingerprint, owner: Fingerprint): void {
    const judgement = this.#judge(a, b)
    if (isPair(judgement)) {
      const edge: Edge = {
        a: a.marketId,
        b: b.marketId,
        verdict: judgement.verdict,
        reasons: judgement.reasons,
        score: overlap(a, b),
      }
      if (!this.#edges.a.get(edge.a)?.has(edge.b)) this.#couples++
      link(this.#edges.a, edge.a, edge.b, edge)
      link(this.#edges.b, edge.b, edge.a, edge)
      return
    }
    const reason = judgement.reasons[0]!
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1)
    const tally = this.#tallies.get(owner)
    if (tally === undefined) {
      this.#tallies.set(owner, [{ reason, count: 1 }])
      return
    }
    const counted = tally.find((entry) => entry.reason === reason)
    if (counted === undefined) tally.push({ reason, count: 1 })
    else counted.count++
  }

  #judge(a: Fingerprint, b: Fingerprint): Judgement {
    const review = this.#reviewed.size === 0 ? null : reviewOf(this.#reviewed, a.market, b.market)
    if (review === null) return judgeFingerprints(a, b, this.#vocabulary)
    return review.verdict === 'denied'
      ? refuse('different', 'denied')
      : { verdict: review.verdict, reasons: ['allowed'] }
  }

  /** Assigns anew everything that hangs together with a market. @returns the markets of A that were reached. */
  #settle(venue: 'a' | 'b', marketId: string): string[] {
    const reached = { a: new Set<string>(), b: new Set<string>() }
    const open: { venue: 'a' | 'b'; id: string }[] = [{ venue, id: marketId }]
    const edges = new Set<Edge>()
    while (open.length > 0) {
      const next = open.pop()!
      if (reached[next.venue].has(next.id)) continue
      reached[next.venue].add(next.id)
      const other = next.venue === 'a' ? 'b' : 'a'
      for (const [partner, edge] of this.#edges[next.venue].get(next.id) ?? []) {
        edges.add(edge)
        if (!reached[other].has(partner)) open.push({ venue: other, id: partner })
      }
    }
    const isKnown = reached.a.size + reached.b.size <= this.#knotBound
    const pairs = isKnown ? assign([...edges], (side, x, y) => this.#asksTheSame(side, x, y)) : []
    const wanted = new Map(pairs.map((edge) => [pairIdOf(edge.a, edge.b), edge]))
    for (const side of ['a', 'b'] as const)
      for (const id of reached[side]) {
        const pair = this.#pairOf[side].get(id)
        if (pair !== undefined && !this.#isStill(pair, wanted.get(pair.pairId))) this.#dropPair(pair)
      }
    for (const [pairId, edge] of wanted) if (!this.#pairs.has(pairId)) this.#addPair(pairId, edge)
    return [...reached.a]
  }

  #isStill(pair: Pair, edge: Edge | undefined): boolean {
    return edge !== undefined && edge.verdict === pair.verdict && edge.reasons.join() === pair.reasons.join()
  }

  #asksTheSame(venue: 'a' | 'b', x: string, y: string): boolean {
    const [first, second] = [this.#markets[venue].get(x), this.#markets[venue].get(y)]
    return (
      first !== undefined &&
      second !== undefined &&
      judgeFingerprints(first, second, this.#vocabulary).verdict === 'identity'
    )
  }

  #addPair(pairId: string, { a, b, verdict, reasons }: Edge): void {
    const pair: Pair = { pairId, a, b, verdict, reasons }
    this.#pairs.set(pairId, pair)
    this.#pairOf.a.set(a, pair)
    this.#pairOf.b.set(b, pair)
    this.#added.set(pairId, pair)
  }

  #dropPair(pair: Pair): void {
    this.#pairs.delete(pair.pairId)
    this.#pairOf.a.delete(pair.a)
    this.#pairOf.b.delete(pair.b)
    this.#added.delete(pair.pairId)
    this.#removed.add(pair.pairId)
  }
}

/** Refusals among the proposals made for one market. */
type Tally = { reason: Reason; count: number }[]

function link(edges: Map<string, Map<string, Edge>>, from: string, to: string, edge: Edge): void {
  const known = edges.get(from)
  if (known === undefined) edges.set(from, new Map([[to, edge]]))
  else known.set(to, edge)
}

/** Share of words both cores have, 0 to 1: decides between partners that mean the same. */
function overlap(a: Fingerprint, b: Fingerprint): number {
  let shared = 0
  for (const word of a.core) if (b.core.includes(word)) shared++
  const all = a.core.length + b.core.length - shared
  return all === 0 ? 0 : shared / all
}
