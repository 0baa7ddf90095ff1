import { randomBytes } from 'node:crypto'

/*
 * Once settled, a payment's signature is public: it stands in the transaction. A token must not be handed to whoever
 * copies it from there, so a payment for one is also bound to a secret that was only ever in the 402 and in the
 * buyer's header: `extra.redemption` of the offer, which a client echoes in `accepted`.
 */

const SHAPE = /^[A-Za-z0-9_-]{22,64}$/

export const newRedemption = (): string => randomBytes(18).toString('base64url')

/** The secret a payment echoes; null when there is none. */
export function redemptionOf(extra: Record<string, unknown> | undefined): string | null {
  const value = extra?.redemption
  return typeof value === 'string' && SHAPE.test(value) ? value : null
}
