import type { Problem } from '../../errors.ts'

/** Key of the x402 extension by which a buyer names a purchase, so that one signed again is not paid again. */
export const PAYMENT_IDENTIFIER = 'payment-identifier'

const MIN_CHARS = 16
const MAX_CHARS = 128
const FORM = /^[a-zA-Z0-9_-]+$/

/** Never required: stock clients send none. */
export const paymentIdentifier = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: MIN_CHARS, maxLength: MAX_CHARS, pattern: FORM.source },
    },
    required: ['required'],
  },
} as const

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** The id in the extensions a payment came with; null when it has none. */
export function paymentIdOf(extensions: unknown): string | null | Problem {
  const id = memberOf(memberOf(memberOf(extensions, PAYMENT_IDENTIFIER), 'info'), 'id')
  if (id === undefined) return null
  if (typeof id === 'string' && id.length >= MIN_CHARS && id.length <= MAX_CHARS && FORM.test(id)) return id
  return {
    problem: 'malformed_payment',
    detail: `${PAYMENT_IDENTIFIER}: id is ${MIN_CHARS} to ${MAX_CHARS} letters, digits, - or _.`,
  }
}
