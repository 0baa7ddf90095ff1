import { PaymentRequiredV1Schema, parsePaymentRequired } from '@x402/core/schemas'
import { getAddress } from 'viem'
import { type Finding, type Json, listedServices, requiredIn } from './finding.ts'

/** One paid GET: its listing, and its answer to a caller who does not pay. */
type Asked = { listed: Json; answer: Response; body: Json; header: string; required: Json; offer: Json }

const PRINTABLE = /^[\x20-\x7e]{1,32}$/
const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text) && getAddress(text) === text
const has = (list: string | null, ...names: string[]): boolean =>
  names.every((name) => list?.toLowerCase().split(/, */).includes(name.toLowerCase()))

/** The smallest amount that CDP's facilitator settles. */
const LEAST_ATOMIC = 1_000n
/** Proxies accept headers of up to 4 to 8 KiB. */
const HEADER_MAX = 8 * 1024

/** What breaks in practice between sellers and stock clients (x402-v2.md 1 and 6, ecosystem.md 3), each of one 402. */
export const SELLER_CHECKS: Readonly<Record<string, (asked: Asked) => boolean>> = {
  'challenge: 402 to a bare GET': ({ answer }) => answer.status === 402,
  'challenge: PAYMENT-REQUIRED is padded standard base64 of ASCII JSON': ({ header }) =>
    /^[A-Za-z0-9+/]+={0,2}$/.test(header) &&
    header.length % 4 === 0 &&
    Buffer.from(header, 'base64').every((byte) => byte < 128),
  'challenge: within what proxies take': ({ header }) => header.length <= HEADER_MAX,
  'challenge: a PaymentRequired of version 2 to the SDK': ({ required }) =>
    required.x402Version === 2 && parsePaymentRequired(required).success,
  'challenge: the body has the offer too, for clients that read no header': ({ body }) =>
    body.x402Version === 1
      ? PaymentRequiredV1Schema.safeParse(body).success
      : parsePaymentRequired(body).success,
  'challenge: machine-readable reason, and what to do': ({ body }) =>
    body.ok === false && body.code === 'payment_required' && body.next.length > 0,
  'challenge: in no cache': ({ answer }) => has(answer.headers.get('cache-control'), 'no-store', 'private'),
  'challenge: pages may read it': ({ answer }) =>
    answer.headers.get('access-control-allow-origin') === '*' &&
    has(answer.headers.get('access-control-expose-headers'), 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'),
  'accepts: exactly one entry, scheme exact, CAIP-2 network': ({ required, offer }) =>
    required.accepts.length === 1 && offer.scheme === 'exact' && /^eip155:\d+$/.test(offer.network),
  'accepts: the listed price in whole atomic units, above what facilitators refuse': ({ listed, offer }) =>
    /^[1-9]\d*$/.test(offer.amount) &&
    BigInt(offer.amount) >= LEAST_ATOMIC &&
    offer.amount === listed.amount &&
    Number(offer.amount) === Math.round(listed.priceUsdc * 1e6),
  'accepts: addresses with their checksum, payer is not the token': ({ offer }) =>
    isAddress(offer.asset) && isAddress(offer.payTo) && offer.asset !== offer.payTo,
  'accepts: EIP-712 name and version of the token': ({ offer }) =>
    offer.extra.name.length > 0 && offer.extra.version.length > 0,
  'accepts: a time to sign in that is neither short nor endless': ({ offer }) =>
    offer.maxTimeoutSeconds >= 30 && offer.maxTimeoutSeconds <= 3_600,
  'resource: the public URL that was asked, https but on the own machine': ({ listed, required }) => {
    const { protocol, hostname, search } = new URL(required.resource.url)
    return (
      required.resource.url === listed.url &&
      search === '' &&
      (protocol === 'https:' || hostname === '127.0.0.1' || hostname === 'localhost')
    )
  },
  'resource: description of at most 500 characters, media type, a name that catalogues keep': ({
    required: { resource },
  }) =>
    resource.description.length > 0 &&
    resource.description.length <= 500 &&
    resource.mimeType === 'application/json' &&
    PRINTABLE.test(resource.serviceName),
  'extensions: bazaar, payment-identifier that is not required, one signed offer': ({
    required: { extensions },
  }) =>
    extensions.bazaar.info.input.method === 'GET' &&
    extensions['payment-identifier'].info.required === false &&
    extensions['offer-receipt'].info.offers.length === 1,
}

const BROWSER = { accept: 'text/html,application/xhtml+xml', 'user-agent': 'Mozilla/5.0' }

/** The same path asked in other ways: price before parameters, no way around the gate, no page without the offer. */
export const SELLER_PROBES: Readonly<Record<string, (url: string) => Promise<boolean>>> = {
  'probe: 402 before parameters are looked at': async (url) => {
    const asked = await fetch(`${url}?q=${'x'.repeat(9_000)}&window=never&%00`)
    return asked.status === 402
  },
  'probe: a browser gets the header too': async (url) => {
    const asked = await fetch(url, { headers: BROWSER })
    return asked.status === 402 && requiredIn(asked).x402Version === 2
  },
  'probe: no other spelling of the path is served': async (url) => {
    const spellings = [`${url}/`, url.replace('/x402/', '/X402/'), url.replace('/x402/', '//x402/')]
    const answers = await Promise.all(spellings.map((spelling) => fetch(spelling)))
    return answers.every(({ status }) => status === 404)
  },
  'probe: POST and HEAD sell nothing, OPTIONS lets a page pay': async (url) => {
    const preflight = {
      origin: 'https://page.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'payment-signature',
    }
    const [post, head, options] = await Promise.all([
      fetch(url, { method: 'POST' }),
      fetch(url, { method: 'HEAD' }),
      fetch(url, { method: 'OPTIONS', headers: preflight }),
    ])
    return (
      post.status === 405 &&
      [402, 405].includes(head.status) &&
      has(options.headers.get('access-control-allow-headers'), 'payment-signature', 'x-payment')
    )
  },
  'probe: what is no payment is 400 with the offer, and two of them are refused': async (url) => {
    const [broken, two] = await Promise.all([
      fetch(url, { headers: { 'payment-signature': 'e30=' } }),
      fetch(url, { headers: { 'payment-signature': 'e30=', 'x-payment': 'e30=' } }),
    ])
    return broken.status === 400 && requiredIn(broken).x402Version === 2 && two.status === 400
  },
}

/** The whole list, for everything that is sold. */
export async function sellerCheckList(base: string): Promise<Finding> {
  const errors: string[] = []
  const services = await listedServices(base)
  for (const listed of services) {
    const answer = await fetch(listed.url)
    const header = answer.headers.get('payment-required') ?? ''
    const required = requiredIn(answer)
    const asked = { listed, answer, body: await answer.json(), header, required, offer: required.accepts[0] }
    for (const [name, holds] of Object.entries(SELLER_CHECKS))
      if (!holds(asked)) errors.push(`${listed.path}: ${name}`)
    for (const [name, holds] of Object.entries(SELLER_PROBES))
      if (!(await holds(listed.url))) errors.push(`${listed.path}: ${name}`)
  }
  const checks = Object.keys(SELLER_CHECKS).length + Object.keys(SELLER_PROBES).length
  return { judged: services.length * checks, errors, warnings: [] }
}
