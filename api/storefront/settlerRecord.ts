import { z } from 'zod'
import type { Config } from '../../ops/config.ts'
import { configuredFacilitators } from '../settlement/facilitatorList.ts'

/** Who carries a signed authorization to the chain (spec 2.4). */
export const SettlerRecord = z.object({
  mode: z.enum(['self', 'facilitator']),
  facilitator: z.object({ verifies: z.boolean(), settles: z.boolean() }), // what a facilitator is asked to do
  facilitatorUrl: z.string().nullable(), //  the preferred one's origin
  settlerAddress: z.string().nullable(), //  of our own settler; null: a facilitator's, which may change
  network: z.string(),
  asset: z.string(),
})
export type SettlerRecord = z.infer<typeof SettlerRecord>

/** A facilitator's URL may carry a key in its path or query: only its origin is published. */
export function settlerRecord(config: Config): SettlerRecord {
  const isSelf = config.SETTLEMENT === 'self'
  const [preferred] = isSelf ? [] : configuredFacilitators(config)
  return {
    mode: config.SETTLEMENT,
    facilitator: { verifies: !isSelf, settles: !isSelf },
    facilitatorUrl: preferred === undefined ? null : new URL(preferred.url).origin,
    settlerAddress: isSelf && config.SETTLER_ADDRESS !== '' ? config.SETTLER_ADDRESS : null,
    network: `eip155:${config.CHAIN_ID}`,
    asset: config.USDC_ADDRESS,
  }
}
