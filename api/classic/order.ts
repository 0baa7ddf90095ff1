import { createHmac, randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import type { CreditHolder, HoldFor } from '../ledger/credits.ts'
import { canonicalJson, sha256Hex } from '../receipts/canonical.ts'
import type { Intent } from './intent.ts'
import type { ClassicPorts } from './ports.ts'
import type { Asked } from './request.ts'
import type { PurchaseRequest } from './shapes.ts'

/** What the ledger calls an intent. */
export const intentName = (id: string): string => sha256Hex(`intent|${id}`)

/** An intent's id and name. The id is derived from the operation and our secret: only we can show it again. */
export function namesOf(secret: Buffer, operation: string): { id: string; name: string } {
  const digest = createHmac('sha256', secret).update(`intent-id|${operation}`).digest()
  const id = `pi_${digest.subarray(0, 16).toString('base64url')}`
  return { id, name: intentName(id) }
}

export const freshOperation = (): string => randomBytes(16).toString('base64url')

/**
 * The operation of a purchase with a secret, and what it asks for: account, SKU, tip, rail and input, not the price.
 * With an Idempotency-Key the buyer says which purchase it is; without one the same question continues the unanswered
 * purchase, else starts another. Without a secret a key is ignored: whoever guessed it would be shown another buyer's
 * purchase.
 */
export function orderOf(
  { body, idempotencyKey }: Asked<z.output<typeof PurchaseRequest>>,
  holder: CreditHolder | null,
  secret: Buffer,
): HoldFor {
  if (holder === null) return { operation: freshOperation(), asks: '', isNamed: false }
  const { sku, options, paymentRail, payload = null } = body
  const asked = [holder.account, sku, options?.tipUsdc ?? null, paymentRail, payload]
  const asks = createHmac('sha256', secret)
    .update(`question|${canonicalJson(asked)}`)
    .digest('hex')
  const isNamed = idempotencyKey !== ''
  const named = `key|${sha256Hex(`${holder.account}|${holder.auth}|${idempotencyKey}`)}`
  return { operation: isNamed ? named : freshOperation(), asks, isNamed }
}

/**
 * Called just before the buyer gets the answer: from here on the same request is another purchase. If this fails, the
 * mark stays as it is, and the same request gets this answer once more, for free.
 */
export async function answered(
  { question, hold }: Intent,
  name: string,
  { credits, faultPoint }: ClassicPorts,
): Promise<void> {
  if (hold === null) return
  faultPoint('CP11')
  try {
    await credits.answered(question, name)
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
  }
}
