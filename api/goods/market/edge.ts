import { z } from 'zod'
import { defineGood } from '../good.ts'
import { AGENT_HEADER } from './agentHeader.ts'
import { sellEdges } from './edges.ts'
import { NOT_FRESH_OR_ENOUGH } from './notEnough.ts'
import { BEST_FIRST, EdgeRow, PairProvenance } from './shapes.ts'
import { showEdgeRow } from './showEdge.ts'

/** The best edge after fees. Legacy: the gap card says more. */
export const edge = defineGood({
  sku: 'SKU_AG_EDGE_01',
  path: '/x402/v1/edge',
  title: 'Best edge (legacy)',
  description: `The best cross-venue edge now: topic, cents left after both venues’ taker fees, executable sizes and link. ${BEST_FIRST} Legacy; bot-fuel says more.`,
  listPriceMicroUsdc: 190_000n,
  priceMicroUsdc: 190_000n,
  parameters: [],
  headers: AGENT_HEADER,
  input: z.object({}),
  delivers: 'edge {topic, edgeCents, link}',
  output: PairProvenance.extend({ edge: EdgeRow }),
  refusals: NOT_FRESH_OR_ENOUGH,
  answer: (_, ports) => sellEdges(1, ports, ([row]) => ({ edge: showEdgeRow(row!) })),
})
