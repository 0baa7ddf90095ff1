/** PAYMENT-REQUIRED, decoded. */
export type Required = {
  x402Version: number
  resource: { url: string; description: string }
  accepts: Accepted[]
  extensions?: Record<string, unknown>
}

export type Accepted = {
  scheme: string
  network: string
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Record<string, unknown>
}

type Signed = { authorization: { from: string; value: string; validBefore: string } }

const USDC_DECIMALS = 6

/** Base64 of UTF-8 JSON. The server reads each offer that it shows, too: letter by letter takes an eighth of the time. */
export function decoded(header: string): unknown {
  const letters = atob(header)
  const bytes = new Uint8Array(letters.length)
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at)
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** ASCII JSON as base64: whatever is beyond ASCII is written as an escape. */
export const encoded = (value: unknown): string =>
  btoa(
    JSON.stringify(value).replace(
      /[\u007f-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )

/** `1000` → `0.001`, `500000` → `0.50`: to the cent at least. */
export function usdOf(atomic: string): string {
  const digits = atomic.padStart(USDC_DECIMALS + 1, '0')
  const fraction = digits.slice(-USDC_DECIMALS).replace(/0{1,4}$/, '')
  return `${digits.slice(0, -USDC_DECIMALS)}.${fraction}`
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  bazaar: 'how to call this read, for catalogues that list it',
  'payment-identifier': 'you may name the purchase, so that it is not paid twice',
  'offer-receipt': 'these terms, signed by us: nobody can change them on the way',
}

/** The terms in words, one line each. */
export function termsOf({ x402Version, resource, accepts, extensions = {} }: Required): [string, string][] {
  const [offer] = accepts
  if (offer === undefined) throw new Error('no offer in PAYMENT-REQUIRED')
  return [
    ['what', resource.description],
    ['price', `${usdOf(offer.amount)} USD (${offer.amount} millionths of a USDC)`],
    ['network', `${offer.network}, x402 version ${x402Version}, scheme ${offer.scheme}`],
    ['token', `${offer.asset}${typeof offer.extra.name === 'string' ? ` (${offer.extra.name})` : ''}`],
    ['paid to', offer.payTo],
    ['good for', `${offer.maxTimeoutSeconds} seconds from signing`],
    ...Object.keys(extensions).map((name): [string, string] => [
      `+ ${name}`,
      EXTENSIONS[name] ?? 'an extension',
    ]),
  ]
}

/** What the wallet signed, in words: a transfer that only the token of the terms carries out, once. */
export function signedOf(payload: unknown): [string, string][] {
  const { from, value, validBefore } = (payload as Signed).authorization
  const until = new Date(Number(validBefore) * 1000).toISOString().slice(11, 19)
  return [
    ['from', from],
    ['transfer', `${usdOf(value)} USD to the receiver of the terms, once (EIP-3009)`],
    ['good until', `${until} UTC`],
  ]
}
