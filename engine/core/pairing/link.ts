import type { Edge } from './assign.ts'

/**
 * Stores an edge under the market it starts from, replacing an older one to the same partner.
 * @param alone the edge as a list: most markets have one edge, and both its ends share the same list.
 * @returns whether there was none before.
 */
export function link(
  edges: Map<string, readonly Edge[]>,
  alone: readonly [Edge],
  from: 'a' | 'b',
  to: 'a' | 'b',
): boolean {
  const [edge] = alone
  const known = edges.get(edge[from])
  const at = known?.findIndex((other) => other[to] === edge[to]) ?? -1
  edges.set(edge[from], known === undefined ? alone : at === -1 ? known.concat(edge) : known.with(at, edge))
  return at === -1
}
