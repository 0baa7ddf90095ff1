import { z } from 'zod'
import { parseStrictJsonBytes, StrictJsonError } from '../../ops/strictJson.ts'
import type { Problem } from '../errors.ts'
import { firstIssue, IN_WORDS } from '../problems/issue.ts'
import { BodyTooLarge, type HttpRequest, NoRoom } from './exchange.ts'

/**
 * The body as strict JSON of this shape. To be called before the handler's first await. Details name a field, never its
 * value.
 */
export async function readJson<T>(
  request: Pick<HttpRequest, 'body'>,
  schema: z.ZodType<T>,
  maxBytes: number,
  { maxDepth, maxValues }: { maxDepth?: number; maxValues?: number } = {},
): Promise<{ body: T } | Problem> {
  const bytes = request.body(maxBytes)
  try {
    return { body: schema.parse(parseStrictJsonBytes(await bytes, maxDepth, maxValues), IN_WORDS) }
  } catch (error) {
    if (error instanceof BodyTooLarge)
      return { problem: 'body_too_large', detail: `The body is longer than ${maxBytes} bytes.` }
    if (error instanceof NoRoom) return { problem: 'no_room' }
    if (error instanceof StrictJsonError)
      return {
        problem: 'malformed_request',
        detail: 'The body is not strict JSON in UTF-8 with each name once.',
      }
    if (error instanceof z.ZodError) return { problem: 'invalid_parameter', detail: firstIssue(error) }
    throw error
  }
}
