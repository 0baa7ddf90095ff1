import { tokenKindOf } from '../entitlements/issue.ts'
import type { Good } from '../goods/good.ts'
import { bazaarOf } from './extensions/bazaar.ts'
import type { Offer } from './terms.ts'

/** Version 1 calls networks by name. */
export const NETWORKS_V1: Readonly<Record<string, string>> = {
  'eip155:8453': 'base',
  'eip155:84532': 'base-sepolia',
}

/**
 * What a client of x402 version 1 reads from the body of a 402 (x402-v2 1.7); version 2 has its offer in the header.
 * @returns null: version 1 has no name for the network, or the good is a token, whose secret it cannot carry.
 */
export function requiredV1(
  good: Good<unknown>,
  { scheme, network, amount, payTo, maxTimeoutSeconds, asset, extra }: Offer,
  { error, resource }: { error: string; resource: { url: string; description: string; mimeType: string } },
) {
  const name = NETWORKS_V1[network]
  if (name === undefined || tokenKindOf(good) !== null) return null
  const { input, output } = bazaarOf(good).info
  const { url, description, mimeType } = resource
  const accepted = {
    scheme,
    network: name,
    maxAmountRequired: amount,
    resource: url,
    description,
    mimeType,
    outputSchema: { input: { ...input, discoverable: true }, output: output.example },
    payTo,
    maxTimeoutSeconds,
    asset,
    extra,
  }
  return { x402Version: 1, error, accepts: [accepted] } as const
}
