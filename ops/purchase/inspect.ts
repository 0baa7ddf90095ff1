import { decodePaymentRequiredHeader } from '@x402/core/http'
import { z } from 'zod'
import { formatUsdc } from '../units.ts'
import type { IsDollar } from './dollars.ts'
import type { Answer } from './exchange.ts'
import { PurchaseEnd } from './outcomes.ts'
import type { OfferView } from './report.ts'
import { readAsked, whyNotPayable } from './wire.ts'

/** What the wallet signs for one entry of accepts[]: EIP-712 typed data, the buyer's own values in angle brackets. */
export type TypedData = {
  domain: { name: string; version: string; chainId: number; verifyingContract: string }
  primaryType: 'TransferWithAuthorization'
  message: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
}

/**
 * One entry of accepts[]. `signs` null: ./ops/buy does not pay this way, `why` says why. `amountUsdc` null: the token
 * is not known to be a dollar.
 */
export type OfferInspection = Omit<OfferView, 'amountUsdc'> & {
  amountUsdc: string | null
  signs: TypedData | null
  why: string | null
}

/** A 402, decoded. Sizes in bytes, as they came. */
export type Inspection = {
  url: string
  status: number
  ms: number
  x402Version: number | null
  error: string | null
  resource: { url: string | null; description: string | null; mimeType: string | null }
  sku: string | null
  mode: string | null
  accepts: OfferInspection[]
  extensions: { name: string; bytes: number }[]
  headerBytes: number //           PAYMENT-REQUIRED
  headBytes: number //             all headers
  bodyBytes: number
}

const Extra = z.looseObject({ name: z.string(), version: z.string() })
const Words = z.looseObject({
  x402Version: z.number().optional(),
  error: z.string().optional(),
  resource: z.looseObject({ mimeType: z.string().optional() }).optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
  accepts: z.array(
    z.looseObject({
      scheme: z.string(),
      network: z.string(),
      extra: z.record(z.string(), z.unknown()).optional(),
      amount: z.string().regex(/^\d{1,30}$/),
      asset: z.string(),
      payTo: z.string(),
      maxTimeoutSeconds: z.number(),
    }),
  ),
})
type Offer = z.infer<typeof Words>['accepts'][number]

/** Pure. @throws PurchaseEnd `refused` when PAYMENT-REQUIRED is missing or cannot be read. */
export function inspectChallenge(
  url: string,
  { status, headers, text, json }: Answer,
  ms: number,
  isDollar: IsDollar,
): Inspection {
  const header = headers.get('payment-required')
  const { resource, description, sku, mode } = readAsked(header, json, status, ms)
  const words = Words.safeParse(decodePaymentRequiredHeader(header!))
  if (!words.success) throw new PurchaseEnd('refused', 'accepts[] of the service cannot be read')
  const { x402Version, error, accepts, extensions = {} } = words.data
  return {
    url,
    status,
    ms: Math.round(ms),
    x402Version: x402Version ?? null,
    error: error ?? null,
    resource: { url: resource, description, mimeType: words.data.resource?.mimeType ?? null },
    sku,
    mode,
    accepts: accepts.map((offer) => inspectOffer(offer, isDollar(offer))),
    extensions: Object.entries(extensions).map(([name, value]) => ({
      name,
      bytes: Buffer.byteLength(JSON.stringify(value)),
    })),
    headerBytes: header!.length,
    headBytes: [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0),
    bodyBytes: Buffer.byteLength(text),
  }
}

function inspectOffer(offer: Offer, isDollar: boolean): OfferInspection {
  const { scheme, network, asset, payTo, amount, maxTimeoutSeconds, extra } = offer
  const domain = Extra.safeParse(extra).data
  const why =
    whyNotPayable(offer) ??
    (isDollar ? null : 'the asset is not known to be a dollar') ??
    (domain === undefined
      ? 'extra lacks name and version of the token, without which nothing can be signed'
      : null)
  return {
    scheme,
    network,
    asset,
    assetName: domain?.name ?? null,
    payTo,
    amountAtomic: amount,
    amountUsdc: isDollar ? formatUsdc(BigInt(amount)) : null,
    maxTimeoutSeconds,
    signs: why === null ? typedData(offer, domain!) : null,
    why,
  }
}

const typedData = (
  { network, asset, payTo, amount, maxTimeoutSeconds }: Offer,
  { name, version }: { name: string; version: string },
): TypedData => ({
  domain: { name, version, chainId: Number(network.slice('eip155:'.length)), verifyingContract: asset },
  primaryType: 'TransferWithAuthorization',
  message: {
    from: '<your address>',
    to: payTo,
    value: amount,
    validAfter: '0',
    validBefore: `<now + ${maxTimeoutSeconds}>`,
    nonce: '<32 random bytes>',
  },
})
