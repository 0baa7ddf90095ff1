import type { GapRow } from '../../../engine/contract/gaps.ts'
import type { Search } from '../../search.ts'

/** Hits fetched where one is sold, because some may have closed since the snapshot. */
const HITS = 50

type Named = { topic: string; a: Pick<GapRow['a'], 'title'>; b: Pick<GapRow['b'], 'title'> }

/**
 * Hits of `q`, in the board's order. The outcomes of an event share most of their words: one that is asked for in its very
 * words is among them, however many come before it.
 */
export const hitsOf = <Row extends Named>(search: Search<Row>, q: string): Row[] => {
  const isAsked = isAskedBy(q)
  return search(q, HITS, ({ topic, a, b }) => isAsked(topic) || isAsked(a.title) || isAsked(b.title))
}

/** The pair to sell where only one is sold: the first of `namedFirst`. */
export const bestHit = <Row extends Named>(hits: readonly Row[], q: string): Row | undefined =>
  namedFirst(hits, q)[0]

/**
 * Puts first the pair whose exact question `q` is, as we or a venue word it. Words alone do not distinguish "above $28
 * on November 28" from "above $30 on November 28", and a figure of the other one is a wrong figure.
 *
 * @param hits rows that match `q`, in the board's order.
 */
export function namedFirst<Row extends Named>(hits: readonly Row[], q: string): readonly Row[] {
  const isAsked = isAskedBy(q)
  const named =
    hits.find(({ topic }) => isAsked(topic)) ??
    hits.find(({ a, b }) => isAsked(a.title) || isAsked(b.title)) ??
    hits[0]
  return named === undefined || named === hits[0] ? hits : [named, ...hits.filter((row) => row !== named)]
}

function isAskedBy(q: string): (text: string) => boolean {
  const asked = q.toLowerCase()
  return (text) => text.length === q.length && text.toLowerCase() === asked
}
