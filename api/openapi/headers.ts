import type { JsonSchema } from './schemas.ts'

type HeaderObject = { description: string; required?: true; schema: JsonSchema }

const text = { type: 'string' }

/** Headers that many answers have, by their own name. */
export const HEADERS = {
  'x-request-id': {
    description: 'Names this answer in our logs: yours, where you sent one',
    required: true,
    schema: text,
  },
  'cache-control': {
    description: 'private, no-store on whatever is paid, refused or personal',
    schema: text,
  },
  'ratelimit-policy': {
    description:
      'Which rate limit counts the call: "name";q=calls at once;w=seconds until they are full again',
    schema: text,
  },
  ratelimit: {
    description: 'Once less than half is left: "name";r=calls left;t=seconds until full',
    schema: text,
  },
  'retry-after': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } },
  etag: { description: 'Of this form: ask again with If-None-Match', schema: text },
  'www-authenticate': { description: 'Which token opens this path', required: true, schema: text },
  upgrade: { description: 'The protocol that is spoken here: websocket', required: true, schema: text },
  'x-service-credit-balance-usdc': {
    description:
      'Where store credit paid, or is too little to: USD of the account that can be spent now. Current when the same answer is sent again',
    schema: { type: 'string', format: 'decimal' },
  },
  'x-service-credit-held-usdc': {
    description: 'Beside it: USD that is held for open purchases',
    schema: { type: 'string', format: 'decimal' },
  },
  'x-service-other-payment': {
    description:
      'Where txHash did not pay for this purchase, or other money came for it: store_credit (POST /checkout/settle shows the note), waits (not found yet, or not deep enough: send no more, repeat the request; it becomes store credit) or not_taken (POST /checkout/settle with the same txHash says why). Current when the same answer is sent again',
    schema: { type: 'string', enum: ['store_credit', 'waits', 'not_taken'] },
  },
  link: { description: 'Where the rest is (RFC 8631, RFC 9727)', schema: text },
} as const satisfies Record<string, HeaderObject>
/** With those of x402, which have a schema of their own. */
export type HeaderName = keyof typeof HEADERS | 'payment-required' | 'payment-response' | 'x-payment-response'

/** The credit of the account that paid, or that cannot pay. */
export const CREDIT_FIGURES = ['x-service-credit-balance-usdc', 'x-service-credit-held-usdc'] as const

/** Headers of every answer. */
const COMMON = ['x-request-id', 'cache-control', 'ratelimit-policy', 'ratelimit'] as const

/** The headers of every answer, and these. */
export const headersWith = (...names: HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries([...COMMON, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
