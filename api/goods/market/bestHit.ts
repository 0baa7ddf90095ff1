import type { GapRow } from '../../../engine/contract/gaps.ts'

/** So many hits are looked through for the one that is meant; the outcomes of an event share most of their words. */
export const NAMED_HITS = 50

type Named = { topic: string; a: Pick<GapRow['a'], 'title'>; b: Pick<GapRow['b'], 'title'> }

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
  const asked = q.toLowerCase()
  const isAsked = (text: string) => text.length === q.length && text.toLowerCase() === asked
  const named =
    hits.find(({ topic }) => isAsked(topic)) ??
    hits.find(({ a, b }) => isAsked(a.title) || isAsked(b.title)) ??
    hits[0]
  return named === undefined || named === hits[0] ? hits : [named, ...hits.filter((row) => row !== named)]
}
