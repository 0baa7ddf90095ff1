import { z } from 'zod'
import { parseStrictJson } from '../../../../ops/strictJson.ts'
import { boundedWords } from '../../boundedText.ts'
import { AREAS } from './failure.ts'

export const MAX_RAW_BYTES = 64 * 1024

/** JSON escapes at most double ordinary text; base64 adds a third. Checked before anything is decoded. */
const MAX_PAYLOAD_CHARS = Math.ceil((2 * MAX_RAW_BYTES + 256) / 3) * 4
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

const Raw = boundedWords(MAX_RAW_BYTES, 'is empty')

/** What the header X-Service-Payload holds: base64 of this as JSON. Other fields are ignored. */
export const ScanPayload = z.object({
  raw: Raw,
  area: z.enum(AREAS).optional(), // which part of the system to blame first when the sample shows several failures
})

/** A log sample, from the query or from the header; not from both. */
export const ScanInput = z
  .object({ raw: Raw.optional(), payload: z.string().optional() })
  .transform(({ raw, payload }, context): z.infer<typeof ScanPayload> => {
    const refuse = (path: string, message: string): never => {
      context.addIssue({ code: 'custom', path: [path], message })
      return z.NEVER
    }
    if (raw !== undefined && payload !== undefined)
      return refuse('raw', 'is given twice: in the query and in X-Service-Payload')
    if (payload === undefined) return raw === undefined ? refuse('raw', 'is needed: a log sample') : { raw }
    if (payload.length > MAX_PAYLOAD_CHARS)
      return refuse('X-Service-Payload', `longer than ${MAX_PAYLOAD_CHARS} characters`)
    const parsed = ScanPayload.safeParse(decode(payload))
    if (parsed.success) return parsed.data
    const field = parsed.error.issues[0]?.path.join('.')
    return refuse(
      'X-Service-Payload',
      field === undefined || field === ''
        ? 'is not base64 of a JSON object'
        : `the field ${field} is missing or invalid`,
    )
  })

/**
 * @returns undefined when the payload is not base64 of strict JSON in UTF-8: of a sample given twice one would be read,
 *   and the buyer may mean the other.
 */
function decode(payload: string): unknown {
  if (!BASE64.test(payload)) return undefined
  try {
    return parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(payload, 'base64')))
  } catch {
    return undefined
  }
}
