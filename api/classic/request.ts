import type { z } from 'zod'
import { parseStrictJsonBytes, StrictJsonError } from '../../ops/strictJson.ts'
import { accountOf } from '../entitlements/credit.ts'
import { isProblem, type Problem } from '../errors.ts'
import { BodyTooLarge, type HttpRequest, NoRoom } from '../http/exchange.ts'
import { idempotencyKeyOf } from '../http/idempotencyKey.ts'
import { refuseTwice } from '../http/sentTwice.ts'
import { firstIssue, IN_WORDS } from '../problems/issue.ts'

/** A payload may hold a log sample of 64 KiB, escaped. */
export const MAX_BODY_BYTES = 160 * 1024

/** Headers that say whose purchase it is, and whose credit pays. */
const READ_ONCE = ['x-agent-id', 'x-service-credit-auth', 'x-service-claim-code', 'idempotency-key'] as const

/** The caller and what is asked for; read before the first await. */
export type Asked<Body> = {
  body: Body
  buyer: string
  agentId: string
  address: string
  creditAuth: string // X-Service-Credit-Auth, X-Service-Claim-Code: alternatives to the body's fields
  claimCode: string
  idempotencyKey: string
}

/** A JSON body of this shape, and the buyer it and the header name; or why it cannot be read. */
export async function readRequest<Schema extends z.ZodType<{ buyerId?: string | undefined }>>(
  request: HttpRequest,
  schema: Schema,
): Promise<Asked<z.output<Schema>> | Problem> {
  const twice = refuseTwice(request, READ_ONCE)
  if (twice !== null) return twice
  const agentId = request.header('x-agent-id')
  const { address } = request
  const creditAuth = request.header('x-service-credit-auth')
  const claimCode = request.header('x-service-claim-code')
  const idempotencyKey = idempotencyKeyOf(request)
  let json: unknown
  try {
    const body = request.body(MAX_BODY_BYTES)
    json = parseStrictJsonBytes(await body)
  } catch (error) {
    if (error instanceof BodyTooLarge)
      return { problem: 'body_too_large', detail: `At most ${MAX_BODY_BYTES} bytes.` }
    if (error instanceof NoRoom) return { problem: 'no_room' }
    if (error instanceof StrictJsonError)
      return {
        problem: 'malformed_request',
        detail: 'The body is not a JSON object in UTF-8 with each name once.',
      }
    throw error
  }
  const parsed = schema.safeParse(json, IN_WORDS)
  if (!parsed.success) return { problem: 'invalid_parameter', detail: firstIssue(parsed.error) }
  const buyer = buyerOf(parsed.data.buyerId ?? '', agentId)
  if (isProblem(buyer)) return buyer
  return { body: parsed.data, buyer, agentId, address, creditAuth, claimCode, idempotencyKey }
}

/** buyerId and x-agent-id are one identifier (spec 5.4); '' when there is none. */
export function buyerOf(buyerId: string, agentId: string): string | Problem {
  const [named, sent] = [buyerId, agentId].map((text) => (text === '' ? '' : accountOf(text)))
  if (named == null || sent == null)
    return { problem: 'invalid_parameter', detail: 'buyerId: 1 to 128 visible ASCII characters.' }
  if (named !== '' && sent !== '' && named !== sent)
    return { problem: 'invalid_parameter', detail: 'buyerId: differs from x-agent-id.' }
  return named || sent
}
