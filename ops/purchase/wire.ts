import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
} from '@x402/core/http'
import { z } from 'zod'
import { DAY, formatUsdc, SECOND } from '../units.ts'
import { PurchaseEnd } from './outcomes.ts'
import type { AskedView, OfferView, SettlementView, SignedView } from './report.ts'

/**
 * Reads what travels in x402 headers. Decoding is the stock package's; the shapes are checked here, because
 * a service that we pay is still a stranger.
 */
const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const Atomic = z.string().regex(/^\d{1,30}$/)

const Offer = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: Atomic,
  asset: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z
    .looseObject({ name: z.string().optional(), assetTransferMethod: z.string().optional() })
    .optional(),
})
type Offer = z.infer<typeof Offer>

const Required = z.object({
  accepts: z.array(Offer).max(100),
  resource: z.looseObject({ url: z.string().optional(), description: z.string().optional() }).optional(),
})

const Payment = z.object({
  accepted: Offer,
  payload: z.object({
    signature: z.string(),
    authorization: z.object({
      from: Address,
      to: Address,
      value: Atomic,
      validAfter: Atomic,
      validBefore: Atomic,
      nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
    }),
  }),
})

const Settlement = z.object({
  success: z.boolean(),
  transaction: z.string(),
  network: z.string(),
  payer: z.string().nullish(),
  errorReason: z.string().nullish(),
})

const ExampleInput = z.looseObject({
  extensions: z.looseObject({
    bazaar: z.looseObject({
      info: z.looseObject({ input: z.looseObject({ queryParams: z.record(z.string(), z.string()) }) }),
    }),
  }),
})

const ServiceWords = z.looseObject({ sku: z.string().optional(), mode: z.string().optional() })

/** A payment valid for longer could be charged when the day's limits are long forgotten. */
const MAX_VALID_S = DAY / SECOND

/**
 * We pay only what we can check afterwards: exact amounts by EIP-3009, although the stock client knows more.
 * null: payable.
 */
export function whyNotPayable({
  scheme,
  network,
  extra,
  maxTimeoutSeconds,
}: {
  scheme: string
  network: string
  extra?: Record<string, unknown> | undefined
  maxTimeoutSeconds: number
}): string | null {
  const isKnownWay =
    scheme === 'exact' &&
    /^eip155:\d+$/.test(network) &&
    (extra?.assetTransferMethod ?? 'eip3009') === 'eip3009'
  if (!isKnownWay) return 'not scheme exact with EIP-3009 on an EVM chain'
  if (Number.isInteger(maxTimeoutSeconds) && maxTimeoutSeconds > 0 && maxTimeoutSeconds <= MAX_VALID_S)
    return null
  return `the signature would be good for ${maxTimeoutSeconds} s; 1 to ${MAX_VALID_S} are signed`
}

/** @throws PurchaseEnd `refused` when the 402 cannot be read. */
export function readAsked(header: string | null, body: unknown, status: number, ms: number): AskedView {
  if (header === null)
    throw new PurchaseEnd(
      'refused',
      'the service answered 402 without PAYMENT-REQUIRED; it does not speak x402 v2',
    )
  const required = Required.safeParse(tryDecode(() => decodePaymentRequiredHeader(header)))
  if (!required.success) throw new PurchaseEnd('refused', 'PAYMENT-REQUIRED of the service cannot be read')
  const words = ServiceWords.safeParse(body)
  return {
    status,
    ms,
    resource: required.data.resource?.url ?? null,
    description: required.data.resource?.description ?? null,
    sku: words.data?.sku ?? null,
    mode: words.data?.mode ?? null,
    accepts: required.data.accepts.filter((offer) => whyNotPayable(offer) === null).map(offerView),
  }
}

/** The example input that a 402 gives to catalogues; none when it gives nothing that can be read. */
export function readExampleInput(header: string | null): [string, string][] {
  const required = header === null ? null : tryDecode(() => decodePaymentRequiredHeader(header))
  const read = ExampleInput.safeParse(required)
  return read.success ? Object.entries(read.data.extensions.bazaar.info.input.queryParams) : []
}

/** @throws PurchaseEnd `usage`: only a file given with --resume can be unreadable. */
export function readSigned(header: string): SignedView {
  const payment = Payment.safeParse(tryDecode(() => decodePaymentSignatureHeader(header)))
  if (!payment.success) throw new PurchaseEnd('usage', 'the payment is not an EIP-3009 payment of x402 v2')
  const { accepted, payload } = payment.data
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization
  return {
    offer: offerView(accepted),
    from,
    to,
    valueAtomic: value,
    valueUsdc: formatUsdc(BigInt(value)),
    validAfter: Number(validAfter),
    validBefore: Number(validBefore),
    nonce,
  }
}

/** null: there is none, or it cannot be read. */
export function readSettlement(header: string | null): SettlementView | null {
  if (header === null) return null
  const settlement = Settlement.safeParse(tryDecode(() => decodePaymentResponseHeader(header)))
  if (!settlement.success) return null
  const { success, transaction, network, payer, errorReason } = settlement.data
  return { success, transaction, network, payer: payer ?? null, errorReason: errorReason ?? null }
}

const offerView = (offer: Offer): OfferView => ({
  scheme: offer.scheme,
  network: offer.network,
  asset: offer.asset,
  assetName: offer.extra?.name ?? null,
  payTo: offer.payTo,
  amountAtomic: offer.amount,
  amountUsdc: formatUsdc(BigInt(offer.amount)),
  maxTimeoutSeconds: offer.maxTimeoutSeconds,
})

function tryDecode(decode: () => unknown): unknown {
  try {
    return decode()
  } catch {
    return undefined
  }
}
