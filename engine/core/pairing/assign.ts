import type { Reason } from './verdict.ts'

/** A judged couple that may become a pair. */
export type Edge = {
  a: string
  b: string
  verdict: 'identity' | 'inverted'
  reasons: readonly Reason[]
  score: number
}

/** Do two markets of one venue ask the same? Then either may stand for both. */
export type Equivalent = (venue: 'a' | 'b', x: string, y: string) => boolean

/**
 * Assigns pairs one to one: identity before inverted, a higher score before a lower one. A market that fits several
 * partners with different meanings gets no pair: at least one of them is wrong, and nothing tells which. Deterministic
 * in the set of edges.
 */
export function assign(edges: readonly Edge[], equivalent: Equivalent): Edge[] {
  const sorted = [...edges].sort(
    (x, y) => rank(x) - rank(y) || y.score - x.score || compare(x.a, y.a) || compare(x.b, y.b),
  )
  const doubtful = new Set<string>()
  for (const verdict of ['identity', 'inverted'] as const) {
    const same = sorted.filter((edge) => edge.verdict === verdict)
    markDoubtful('a', same, equivalent, doubtful)
    markDoubtful('b', same, equivalent, doubtful)
  }
  const taken = new Set<string>()
  const pairs: Edge[] = []
  for (const edge of sorted) {
    const [a, b] = [`a${edge.a}`, `b${edge.b}`]
    if (doubtful.has(a) || doubtful.has(b) || taken.has(a) || taken.has(b)) continue
    taken.add(a).add(b)
    pairs.push(edge)
  }
  return pairs
}

function rank({ verdict }: Edge): number {
  return verdict === 'identity' ? 0 : 1
}

function compare(x: string, y: string): number {
  return x < y ? -1 : x > y ? 1 : 0
}

/** Marks the markets of `venue` whose partners are not all the same question. */
function markDoubtful(
  venue: 'a' | 'b',
  edges: readonly Edge[],
  equivalent: Equivalent,
  doubtful: Set<string>,
): void {
  const partners = new Map<string, Edge[]>()
  for (const edge of edges) {
    const known = partners.get(edge[venue])
    if (known === undefined) partners.set(edge[venue], [edge])
    else known.push(edge)
  }
  const other = venue === 'a' ? 'b' : 'a'
  for (const [market, list] of partners)
    if (
      list.some((edge) => edge[other] !== list[0]![other] && !equivalent(other, list[0]![other], edge[other]))
    )
      doubtful.add(`${venue}${market}`)
}
