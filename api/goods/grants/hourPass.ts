import { z } from 'zod'
import { PASS_CALLS, passGrant } from '../../entitlements/pass.ts'
import { defineGood } from '../good.ts'
import { AGENT_HEADER } from '../market/agentHeader.ts'
import { PassGrant } from './shapes.ts'

/** One hour, at most 600 calls (spec 4.1 rule 12, 8). */
export const hourPass = defineGood({
  sku: 'SKU_AG_HOUR_PASS_01',
  path: '/x402/v1/hour-pass',
  title: 'Hour pass',
  description: `One hour of agent reads, up to ${PASS_CALLS} calls. Send the token as X-Service-Pass on later GETs. Not for credit packs, feed tokens, permits, the receipt oracle or another pass. Answers under it carry no receipt: the pass has one.`,
  listPriceMicroUsdc: 500_000n,
  priceMicroUsdc: 500_000n,
  parameters: [],
  headers: AGENT_HEADER,
  input: z.object({}),
  delivers: 'token, expiresAt, callsRemaining',
  output: PassGrant,
  grant: passGrant,
  answer: () => ({ result: {}, snapshotVersion: null }),
})
