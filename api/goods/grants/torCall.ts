import { z } from 'zod'
import { permitGrant } from '../../entitlements/permit.ts'
import { defineGood } from '../good.ts'
import { AGENT_HEADER } from '../market/agentHeader.ts'
import { PermitGrant } from './shapes.ts'

/** A permit for one metered call of the local tool (spec 4.1 rule 13). The tool itself is not part of this service. */
export const torCall = defineGood({
  sku: 'SKU_AG_TOR_CALL_01',
  path: '/x402/v1/tor-call',
  title: 'Permit for one tool call',
  description:
    'A permit for one metered call of the locally run anonymizing-network tool, redeemed at GET /api/v1/tor-call-permit.',
  listPriceMicroUsdc: 50_000n,
  priceMicroUsdc: 50_000n,
  parameters: [],
  headers: AGENT_HEADER,
  input: z.object({}),
  delivers: 'torCallPermit {token, callsRemaining, redeemUrl}',
  output: PermitGrant,
  grant: permitGrant,
  answer: () => ({ result: {}, snapshotVersion: null }),
})
