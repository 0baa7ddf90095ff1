import { z } from 'zod'
import { defineGood } from '../good.ts'
import { AGENT_HEADER } from './agentHeader.ts'
import { sellEdges } from './edges.ts'
import { NOT_FRESH_OR_ENOUGH } from './notEnough.ts'
import { BEST_FIRST, EdgeRow, PairProvenance } from './shapes.ts'
import { showEdgeRow } from './showEdge.ts'

export const EDGE_PACK_SIZE = 5

/**
 * Exactly five edges (spec 8); with fewer, a refusal and no payment. Legacy (spec 9): the pack of gap cards gives more.
 */
export const edgePack = defineGood({
  sku: 'SKU_AG_EDGE_PACK_01',
  path: '/x402/v1/edge-pack',
  title: 'Five best edges (legacy)',
  description: `The five best cross-venue edges now, each with topic, cents left after both venues’ taker fees, executable sizes and link. ${BEST_FIRST} With fewer than five nothing is charged. Legacy; bot-fuel-pack says more.`,
  listPriceMicroUsdc: 790_000n,
  priceMicroUsdc: 790_000n,
  parameters: [],
  headers: AGENT_HEADER,
  input: z.object({}),
  delivers: 'edges[5], each {topic, edgeCents, link}',
  output: PairProvenance.extend({ edges: z.array(EdgeRow).length(EDGE_PACK_SIZE) }),
  refusals: NOT_FRESH_OR_ENOUGH,
  answer: (_, ports) => sellEdges(EDGE_PACK_SIZE, ports, (rows) => ({ edges: rows.map(showEdgeRow) })),
})
