import type { Market } from '../../../ingest/contract/market.ts'
import { sharedList } from '../../../ops/memo.ts'
import { assign, type Edge } from './assign.ts'
import { blankFingerprint } from './blank.ts'
import { EventIndex, type IndexedEvent } from './eventIndex.ts'
import { type Fingerprint, fingerprint } from './fingerprint.ts'
import { judgeFingerprints } from './judge.ts'
import { rulesOf } from './judgeQuestion.ts'
import { link } from './link.ts'
import { matchOutcomes } from './outcomes.ts'
import { REVIEWED, type Reviewed, reviewKey, reviewOf } from './reviewed.ts'
import { asksTheSame } from './sameText.ts'
import { shareTexts } from './shareTexts.ts'
import { count } from './tally.ts'
import { isSameTiming } from './timing.ts'
import { isPair, type Judgement, REFUSED, type Reason, type Refusal, refuse } from './verdict.ts'
import { Vocabulary } from './vocabulary.ts'

/** Two markets sold as one question. */
export type Pair = {
  pairId: string
  a: string
  b: string
  verdict: 'identity' | 'inverted'
  reasons: Reason[] //  shared with other pairs, and frozen
}

/** A refused proposal, with the share of words both have, 0 to 1. */
export type Refused = { a: Market; b: Market; reasons: Reason[]; similarity: number }

/** A text of this market could not be dealt with: a fault of ours, by which it must cost no more than its pairs. */
export type OnFault = (market: Market, error: unknown) => void

type Options = { reviewed?: readonly Reviewed[]; knotBound?: number; onFault?: OnFault | undefined }

const throwIt: OnFault = (_, error) => {
  throw error
}

/** Joined, so that it is one text in memory and not a chain of four. */
export const pairIdOf = (a: string, b: string): string => ['a:', a, '|b:', b].join('')

//  Past this the vocabulary holds mostly names of markets long closed; the owner starts a new pairer.
const WORDS_BOUND = 3_000_000
//  Up to this many connected markets are told apart; in a larger cluster all are doubtful, and none is paired.
const KNOT_BOUND = 5_000

/**
 * All pairs of two venues, kept current market by market. A market whose text did not change is not judged
 * again; a new or edited one is compared with the events that share its rare words, which takes milliseconds.
 */
export class Pairer {
  readonly #vocabulary = new Vocabulary()
  readonly #index = { a: new EventIndex(this.#vocabulary), b: new EventIndex(this.#vocabulary) }
  readonly #markets = { a: new Map<string, Fingerprint>(), b: new Map<string, Fingerprint>() }
  readonly #edges = { a: new Map<string, readonly Edge[]>(), b: new Map<string, readonly Edge[]>() }
  readonly #refused = new Map<Reason, number>()
  readonly #pairs = new Map<string, Pair>()
  readonly #pairOf = { a: new Map<string, Pair>(), b: new Map<string, Pair>() }
  readonly #reviewed: ReadonlyMap<string, Reviewed>
  #couples = 0 //  edges in all
  #moved = new Map<string, Pair>()

  readonly #knotBound: number
  readonly #onFault: OnFault

  constructor({ reviewed = REVIEWED, knotBound = KNOT_BOUND, onFault = throwIt }: Options = {}) {
    this.#knotBound = knotBound
    this.#onFault = onFault
    this.#reviewed = new Map(reviewed.map((entry) => [reviewKey(entry.a, entry.b), entry]))
  }

  get pairs(): ReadonlyMap<string, Pair> {
    return this.#pairs
  }

  /** True when so many words have accumulated that a fresh pairer should take over. */
  get isWorn(): boolean {
    return this.#vocabulary.size > WORDS_BOUND
  }

  count(venue: 'a' | 'b'): number {
    return this.#markets[venue].size
  }

  market(venue: 'a' | 'b', marketId: string): Market | null {
    return this.#markets[venue].get(marketId)?.market ?? null
  }

  /** The pair that a market is a leg of. */
  pairOf(venue: 'a' | 'b', marketId: string): Pair | null {
    return this.#pairOf[venue].get(marketId) ?? null
  }

  /** Proposals refused so far among the markets that are open now, by first reason. */
  refusedCounts(): Record<string, number> {
    const counts = new Map(this.#refused)
    counts.set('taken', this.#couples - this.#pairs.size)
    return Object.fromEntries([...counts].filter(([, count]) => count > 0))
  }

  /**
   * Refused proposals, judged again for display, one event of A per step, starting at event `first`. Changes nothing.
   */
  *refusedFrom(first: number): Generator<Refused[]> {
    let at = 0
    for (const event of this.#index.a.events.values()) {
      if (at++ < first) continue
      const refused: Refused[] = []
      const proposed = this.#propose(event.markets, event, 'a')
      matchOutcomes(event.markets, proposed, (a, b) => {
        const judgement = this.#judge(a, b)
        if (!isPair(judgement))
          refused.push({ a: a.market, b: b.market, reasons: judgement.reasons, similarity: overlap(a, b) })
      })
      //  a pass over all events would otherwise leave this behind for each of them
      for (const other of proposed) other.telling = null
      yield refused
    }
  }

  /** The pairs added or dropped since the last call, each once, in its latest state. */
  drain(): Iterable<Pair> {
    const moved = this.#moved
    this.#moved = new Map()
    return moved.values()
  }

  /** Adds markets without pairing them: the cheap half of a cold start, to be followed by `pairLoaded`. */
  load(market: Market): void {
    const print = this.#read(market)
    this.#markets[market.venue].set(market.marketId, print)
    this.#index[market.venue].add(print)
  }

  /** Pairs everything loaded, event by event of venue A. Yields so that a caller can let others work. */
  *pairLoaded(eventsPerStep = 50): Generator<void> {
    let events = 0
    for (const event of this.#index.a.events.values()) {
      this.#meetEvent(event.markets, event, 'a')
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
    const before = known === undefined ? [] : this.#forget(known)
    const print = this.#read(market)
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

  #read(market: Market): Fingerprint {
    try {
      return this.#readAll(market)
    } catch (error) {
      this.#onFault(market, error)
      return blankFingerprint(market, this.#vocabulary)
    }
  }

  /** Texts that it has in common with another market of its event are shared. */
  #readAll(market: Market): Fingerprint {
    const sibling = this.#index[market.venue].events.get(market.eventId)?.markets[0]
    shareTexts(market, sibling?.market ?? null)
    const print = fingerprint(market, this.#vocabulary)
    if (sibling === undefined || !isSameTiming(print.timing, sibling.timing)) return print
    print.timing = sibling.timing
    if (market.rules === sibling.market.rules) print.rules = rulesOf(sibling, this.#vocabulary)
    return print
  }

  /** Drops a market with its edges. @returns the partners it had. */
  #forget(print: Fingerprint): string[] {
    const { venue, marketId } = print
    const other = venue === 'a' ? 'b' : 'a'
    this.#index[venue].remove(print)
    this.#markets[venue].delete(marketId)
    for (let at = 0; at < print.refused.length; at += 2) {
      const reason = REFUSED[print.refused[at]!]!
      this.#refused.set(reason, (this.#refused.get(reason) ?? 0) - print.refused[at + 1]!)
    }
    const partners = (this.#edges[venue].get(marketId) ?? []).map((edge) => edge[other])
    this.#couples -= partners.length
    for (const partner of partners) {
      const left = (this.#edges[other].get(partner) ?? []).filter((edge) => edge[venue] !== marketId)
      if (left.length > 0) this.#edges[other].set(partner, left)
      else this.#edges[other].delete(partner)
    }
    this.#edges[venue].delete(marketId)
    const pair = this.#pairOf[venue].get(marketId)
    if (pair !== undefined) this.#dropPair(pair)
    return partners
  }

  /** Compares some markets of an event with the events of the other venue that may be the same. */
  #meetEvent(list: readonly Fingerprint[], event: IndexedEvent, venue: 'a' | 'b'): void {
    const tallies = new Map(list.map((market) => [market, [...market.refused]]))
    try {
      matchOutcomes(list, this.#propose(list, event, venue), (x, y) => {
        const reason = venue === 'a' ? this.#meet(x, y) : this.#meet(y, x)
        if (reason !== null) count(tallies.get(x)!, REFUSED.indexOf(reason))
      })
    } catch (error) {
      this.#onFault(list[0]!.market, error)
    }
    for (const [market, tally] of tallies) market.refused = sharedList(tally)
  }

  /** Events of the other venue that may be the same as some markets of an event. */
  #propose(list: readonly Fingerprint[], event: IndexedEvent, venue: 'a' | 'b'): IndexedEvent[] {
    const words =
      event.words !== null && list.length === event.markets.length
        ? event.words.keys()
        : this.#index[venue].wordsOfAll(list)
    const days = event.markets.flatMap(({ timing }) => timing.gameDay ?? [])
    return this.#index[venue === 'a' ? 'b' : 'a'].propose(words, {
      wide: EventIndex.isWide(event),
      sport: event.sport,
      days: new Set(days),
    })
  }

  /** Judges two markets and keeps the edge if they are a pair. @returns why they are refused; null if they are not. */
  #meet(a: Fingerprint, b: Fingerprint): Refusal | null {
    const judgement = this.#judge(a, b)
    if (!isPair(judgement)) {
      const reason = judgement.reasons[0] as Refusal
      this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1)
      return reason
    }
    const edge: Edge = {
      a: a.marketId,
      b: b.marketId,
      verdict: judgement.verdict,
      reasons: sharedList(judgement.reasons),
      score: overlap(a, b),
    }
    const alone = [edge] as const
    if (link(this.#edges.a, alone, 'a', 'b')) this.#couples++
    link(this.#edges.b, alone, 'b', 'a')
    return null
  }

  #judge(a: Fingerprint, b: Fingerprint): Judgement {
    const review = this.#reviewed.size === 0 ? null : reviewOf(this.#reviewed, a.market, b.market)
    if (review === null) return this.#compare(a, b)
    return review.verdict === 'denied'
      ? refuse('different', 'denied')
      : { verdict: review.verdict, reasons: ['allowed'] }
  }

  #compare(a: Fingerprint, b: Fingerprint): Judgement {
    try {
      return judgeFingerprints(a, b, this.#vocabulary)
    } catch (error) {
      this.#onFault(a.market, error)
      return refuse('unreadable', 'unjudged')
    }
  }

  /** Assigns anew everything that is connected to a market. @returns the markets of A that were reached. */
  #settle(venue: 'a' | 'b', marketId: string): string[] {
    const reached = { a: new Set<string>(), b: new Set<string>() }
    const open: { venue: 'a' | 'b'; id: string }[] = [{ venue, id: marketId }]
    const edges = new Set<Edge>()
    while (open.length > 0) {
      const next = open.pop()!
      if (reached[next.venue].has(next.id)) continue
      reached[next.venue].add(next.id)
      const other = next.venue === 'a' ? 'b' : 'a'
      for (const edge of this.#edges[next.venue].get(next.id) ?? []) {
        edges.add(edge)
        if (!reached[other].has(edge[other])) open.push({ venue: other, id: edge[other] })
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
      //  one event never asks the same question twice: two players of one name meet
      first.eventId !== second.eventId &&
      this.#compare(first, second).verdict === 'identity'
    )
  }

  #addPair(pairId: string, { a, b, verdict, reasons }: Edge): void {
    const pair: Pair = { pairId, a, b, verdict, reasons: reasons as Reason[] }
    this.#pairs.set(pairId, pair)
    this.#pairOf.a.set(a, pair)
    this.#pairOf.b.set(b, pair)
    this.#moved.set(pairId, pair)
  }

  #dropPair(pair: Pair): void {
    this.#pairs.delete(pair.pairId)
    this.#pairOf.a.delete(pair.a)
    this.#pairOf.b.delete(pair.b)
    this.#moved.set(pair.pairId, pair)
  }
}

/** Share of words both cores have, 0 to 1: decides between partners that mean the same. */
function overlap(a: Fingerprint, b: Fingerprint): number {
  let shared = 0
  for (const word of a.core) if (b.core.includes(word)) shared++
  const all = a.core.length + b.core.length - shared
  return all === 0 ? 0 : shared / all
}
