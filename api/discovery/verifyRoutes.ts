import { z } from 'zod'
import { parseStrictJsonBytes, StrictJsonError } from '../../ops/strictJson.ts'
import { answering } from '../http/answering.ts'
import { BodyTooLarge, type Handler } from '../http/exchange.ts'
import { parseQuery } from '../http/query.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import { type VerifyPorts, verifyParts } from '../receipts/verify.ts'

export const VERIFY_PATH = '/api/receipt-oracle/verify'

const MAX_BODY_BYTES = 16 * 1024
const ID = /^[A-Za-z0-9_-]{1,64}$/
const Body = z.object({
  id: z.string().regex(ID).optional(),
  payload: z.unknown().optional(),
  signature: z.string().max(128).optional(),
})

const verdictReply = async (parts: z.infer<typeof Body>, ports: VerifyPorts) => {
  const verdict = await verifyParts(parts, ports)
  return jsonReply(200, { ok: verdict.valid, ...verdict }, [NO_STORE])
}

export function verifyById(ports: VerifyPorts): Handler {
  return answering((request) => {
    const id = parseQuery(request.rawQuery)?.get('id') ?? ''
    if (!ID.test(id))
      return problemReply({ problem: 'invalid_parameter', detail: 'id: an attestationId is needed.' })
    return verdictReply({ id }, ports)
  })
}

export function verifyByBody(ports: VerifyPorts): Handler {
  return answering(async (request) => {
    const body = request.body(MAX_BODY_BYTES)
    let parsed: z.infer<typeof Body>
    try {
      parsed = Body.parse(parseStrictJsonBytes(await body))
    } catch (error) {
      if (error instanceof BodyTooLarge)
        return problemReply({ problem: 'body_too_large', detail: `At most ${MAX_BODY_BYTES} bytes.` })
      if (error instanceof StrictJsonError || error instanceof z.ZodError)
        return problemReply({
          problem: 'malformed_request',
          detail: 'The body is JSON {id?, payload?, signature?} in UTF-8.',
        })
      throw error
    }
    return verdictReply(parsed, ports)
  })
}
