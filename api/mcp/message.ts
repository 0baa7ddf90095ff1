import { parseStrictJsonBytes, StrictJsonError } from '../../ops/strictJson.ts'
import { BodyTooLarge, type HttpRequest, NoRoom, type Reply } from '../http/exchange.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import { MESSAGE_MAX, RPC_ERROR } from './codes.ts'

/** The JSON-RPC message of a request; only its frame is checked. @returns a reply, the refusal, when there is none. */
export async function readMessage(request: HttpRequest): Promise<{ json: object } | Reply> {
  try {
    const bytes = await request.body(MESSAGE_MAX.bytes)
    const json = parseStrictJsonBytes(bytes, MESSAGE_MAX.depth, MESSAGE_MAX.values)
    return isMessage(json)
      ? { json }
      : failed(400, RPC_ERROR.invalidRequest, 'one JSON-RPC 2.0 message per request; no batches')
  } catch (error) {
    if (error instanceof BodyTooLarge)
      return failed(413, RPC_ERROR.invalidRequest, `at most ${MESSAGE_MAX.bytes} bytes`)
    if (error instanceof NoRoom) return problemReply({ problem: 'no_room' })
    if (error instanceof StrictJsonError) return failed(400, RPC_ERROR.parse, NOT_READ)
    throw error
  }
}

/** A request, a notification, or an answer to something that we never ask. Their members are checked later. */
function isMessage(json: unknown): json is object {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return false
  const { jsonrpc, id, method } = json as Record<string, unknown>
  const isNamed = typeof id === 'string' || Number.isInteger(id)
  if (jsonrpc !== '2.0' || !(isNamed || id === undefined)) return false
  return method === undefined ? 'result' in json || 'error' in json : typeof method === 'string'
}

const NOT_READ = `not strict JSON in UTF-8 of at most ${MESSAGE_MAX.values} values, ${MESSAGE_MAX.depth} deep`

/** A refusal outside of any call. */
export const failed = (status: number, code: number, message: string): Reply =>
  jsonReply(status, { jsonrpc: '2.0', error: { code, message }, id: null }, [NO_STORE])
