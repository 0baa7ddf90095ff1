import { z } from 'zod'
import { isProblem } from '../errors.ts'
import { answering } from '../http/answering.ts'
import type { Handler } from '../http/exchange.ts'
import { parseQuery } from '../http/query.ts'
import { readJson } from '../http/readJson.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import { MAX_STATEMENT_DEPTH } from '../receipts/statement.ts'
import { type VerifyPorts, verifyParts } from '../receipts/verify.ts'

export const VERIFY_PATH = '/api/receipt-oracle/verify'

/** A receipt has some 280 bytes and nine values for each part of a payment; of more than 200 parts, it is checked by its id. */
export const VERIFY_MAX_BYTES = 64 * 1024
/** That of the deepest statement that is sold, three levels into the body; and more values than its 4 KiB hold. */
const LIMITS = { maxDepth: MAX_STATEMENT_DEPTH + 3, maxValues: 4_000 }
export const ReceiptId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
export const VerifyBody = z.object({
  id: ReceiptId.optional(),
  payload: z.unknown().optional().describe('The signed payload, unchanged: any JSON value is judged'),
  signature: z.string().max(128).optional(),
})

const verdictReply = async (parts: z.infer<typeof VerifyBody>, ports: VerifyPorts) => {
  const verdict = await verifyParts(parts, ports)
  return jsonReply(200, { ok: verdict.valid, ...verdict }, [NO_STORE])
}

export function verifyById(ports: VerifyPorts): Handler {
  return answering((request) => {
    const id = parseQuery(request.rawQuery)?.get('id') ?? ''
    if (!ReceiptId.safeParse(id).success)
      return problemReply({ problem: 'invalid_parameter', detail: 'id: an attestationId is needed.' })
    return verdictReply({ id }, ports)
  })
}

export function verifyByBody(ports: VerifyPorts): Handler {
  return answering(async (request) => {
    const read = await readJson(request, VerifyBody, VERIFY_MAX_BYTES, LIMITS)
    return isProblem(read) ? problemReply(read) : verdictReply(read.body, ports)
  })
}
