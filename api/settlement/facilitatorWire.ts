import { z } from 'zod'
import type { ChainRefusal, Payment } from './port.ts'
import type { Listing } from './settlement.ts'

/** What a facilitator is asked about: our own offer and our own reading of the payment, never the buyer's bytes. */
export type FacilitatorAsk = {
  payment: Payment
  requirements: {
    scheme: 'exact'
    network: string
    amount: string
    asset: string
    payTo: string
    maxTimeoutSeconds: number
    extra: { name: string; version: string }
  }
  listing: Listing
}

/** The body of POST /verify and POST /settle. What is the same for every payment of a good is written as JSON once. */
export function askBody({ payment, requirements, listing }: FacilitatorAsk): string {
  const { from, to, value, validAfter, validBefore, nonce } = payment.authorization
  const payload = JSON.stringify({
    signature: payment.signature,
    authorization: {
      from,
      to,
      value: value.toString(),
      validAfter: validAfter.toString(),
      validBefore: validBefore.toString(),
      nonce,
    },
  })
  const { resource, extensions } = listing
  return `{"x402Version":2,"paymentPayload":{"x402Version":2,"resource":${jsonOf(resource)},"accepted":${jsonOf(requirements)},"payload":${payload},"extensions":${jsonOf(extensions)}},"paymentRequirements":${jsonOf(requirements)}}`
}

const written = new WeakMap<object, string>()
/** @param value never changed after it was written once. */
function jsonOf(value: object): string {
  let text = written.get(value)
  if (text === undefined) {
    text = JSON.stringify(value)
    written.set(value, text)
  }
  return text
}

const Word = z.string().max(200)
export const VerifyAnswer = z.object({
  isValid: z.boolean(),
  invalidReason: Word.nullish(),
  payer: Word.nullish(),
})
export const SettleAnswer = z.object({
  success: z.boolean(),
  transaction: Word.nullish(),
  network: Word.nullish(),
  payer: Word.nullish(),
  amount: Word.nullish(),
  errorReason: Word.nullish(),
})
export const SupportedAnswer = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), scheme: Word, network: Word })).max(1_000),
  signers: z.record(Word, z.array(Word).max(100)).nullish(),
})

const ExtensionAnswers = z.record(Word, z.looseObject({ status: Word, rejectedReason: Word.nullish() }))
const SAID = ['success', 'processing', 'rejected'] as const
const STATUSES: ReadonlySet<string> = new Set(SAID)
/** What can have become of our listing; 'other': a word we do not know. */
export const LISTING_STATUSES = [...SAID, 'other'] as const
const MAX_EXTENSION_CHARS = 16 * 1024

/**
 * What became of our listing, from the header EXTENSION-RESPONSES (x402-v2 3.1); null: it does not say. The reason is
 * one plain word or 'other': no other foreign text leaves here.
 */
export function readListed(
  header: string | null,
  extension: string,
): { status: string; reason: string | null } | null {
  if (header === null || header.length > MAX_EXTENSION_CHARS) return null
  try {
    const answers = ExtensionAnswers.parse(JSON.parse(Buffer.from(header, 'base64').toString('utf8')))
    const answer = Object.hasOwn(answers, extension) ? answers[extension] : undefined
    if (answer === undefined) return null
    const { status, rejectedReason } = answer
    const reason =
      rejectedReason == null || /^[a-z0-9_]{1,64}$/.test(rejectedReason) ? rejectedReason : 'other'
    return { status: STATUSES.has(status) ? status : 'other', reason: reason ?? null }
  } catch {
    return null
  }
}

const HeaderMap = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
  z.string().regex(/^[\t\x20-\x7e]*$/),
)
export const FacilitatorAuth = z.strictObject({
  verify: HeaderMap.default({}),
  settle: HeaderMap.default({}),
  supported: HeaderMap.default({}),
})
export type FacilitatorAuth = z.infer<typeof FacilitatorAuth>
export const NO_AUTH: FacilitatorAuth = { verify: {}, settle: {}, supported: {} }

/** @param text of FACILITATOR_AUTH_FILE. @throws without quoting anything of it. */
export function readFacilitatorAuth(text: string): FacilitatorAuth {
  try {
    return FacilitatorAuth.parse(JSON.parse(text))
  } catch {
    throw new Error(
      'FACILITATOR_AUTH_FILE: must be JSON {"verify":{…},"settle":{…},"supported":{…}}, each a map of headers',
    )
  }
}

/**
 * Foreign reasons folded into our closed set (x402-v2 2.3, 2.4, 3.3): the SDK, the specification and vendors
 * name the same thing differently, so parts of names decide, in this order.
 */
const REASONS: readonly (readonly [RegExp, ChainRefusal])[] = [
  [/insufficient_(funds|balance)/, 'insufficient_funds'],
  [/nonce_(already_)?used|authorization_used/, 'nonce_used'],
  [/valid_before|expired/, 'expired'],
  [/valid_after|not_yet_valid/, 'not_yet_valid'],
  [/_kyt|blacklist|blocked|sanction/, 'blocked_party'],
  [/paused/, 'token_paused'],
  [/6492|smart_wallet|wallet_deployment/, 'wallet_not_supported'],
  [/signature/, 'bad_signature'],
  [/transaction_failed|invalid_transaction_state|simulation_failed/, 'transfer_failed'],
]

/** null: a word we do not know. */
export function readReason(reason: string | null | undefined): ChainRefusal | null {
  const word = reason?.toLowerCase() ?? ''
  return REASONS.find(([pattern]) => pattern.test(word))?.[1] ?? null
}

/** Whether the refusal is about our part, not the buyer's signature: then somebody has to look at the configuration. */
export function contradictsUs(reason: string | null | undefined): boolean {
  return /network|scheme|requirements|x402_version|eip712_domain|invalid_payload|not_deployed|_mismatch|to_address_kyt/.test(
    reason?.toLowerCase() ?? '',
  )
}
