import type { Hex } from 'viem'
import { ServiceError, UnavailableError } from '../../ops/errors.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import { SECOND } from '../../ops/units.ts'
import { ExchangeError, exchange, openPool, type Reply, wasCut } from './exchange.ts'

/**
 * The node answered, and its answer is a refusal. `nodeText` is its own wording, for the few callers that
 * must tell one refusal from another; it may quote raw transactions and so is never logged or shown.
 */
export class RpcError extends ServiceError {
  readonly code = 'rpc_refused'
  readonly rpcCode: number
  readonly data: Hex | null
  readonly nodeText: string
  constructor(method: string, rpcCode: number, data: Hex | null, nodeText: string) {
    super(`${method} was refused with ${rpcCode}`)
    this.rpcCode = rpcCode
    this.data = data
    this.nodeText = nodeText
  }
}

/** No answer, or none in time, but maybe a smaller one is possible. An outage to callers that cannot ask for less. */
export class TooMuchError extends UnavailableError {
  constructor(message: string) {
    super('chain_unavailable', message)
  }
}

/** @throws UnavailableError('chain_unavailable') for trouble on the way, RpcError for a refusal. */
export type Rpc = {
  /** @param maxBytes of the answer. */
  call(method: string, params: readonly unknown[], maxBytes?: number): Promise<unknown>
  close(): Promise<void>
}

const TIMEOUT_MS = 5 * SECOND
const MAX_ANSWER_BYTES = 16 * 1024 * 1024 //  the receipt of a full batch is about 1 MiB
const CONNECTIONS = 8

/** JSON-RPC over HTTP, one call per request. The address may carry a key, so it appears in no error. */
export function createRpc(rpcUrl: string, { timeoutMs = TIMEOUT_MS } = {}): Rpc {
  const url = new URL(rpcUrl)
  const pool = openPool(url.origin, CONNECTIONS)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (url.username !== '' || url.password !== '')
    headers.authorization = `Basic ${Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64')}`
  let lastId = 0

  async function post(body: string, maxBytes: number): Promise<Reply> {
    const ask = {
      method: 'POST',
      path: url.pathname + url.search,
      headers,
      body,
      timeoutMs,
      maxBytes,
    } as const
    try {
      return await exchange(pool, ask)
    } catch (error) {
      //  A kept-alive connection that the node closed as we wrote. Safe to repeat: reads have no effect and
      //  the same raw transaction twice is one transaction.
      if (wasCut(error)) return exchange(pool, ask)
      throw error
    }
  }

  return {
    async call(method, params, maxBytes = MAX_ANSWER_BYTES) {
      const id = ++lastId
      let reply: Reply
      try {
        reply = await post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), maxBytes)
      } catch (error) {
        const reason = error instanceof ExchangeError ? error.reason : 'unknown'
        if (reason === 'timeout' || reason === 'body_too_large')
          throw new TooMuchError(`${method}: ${reason}`)
        throw new UnavailableError('chain_unavailable', `${method}: ${reason}`)
      }
      return readAnswer(method, reply)
    },
    close: () => pool.close(),
  }
}

/** A limit or a fault of the node: it says nothing about what was asked, but that it may be too much. */
const TOO_MUCH = new Set([-32005, -32603])
/** Asked too often: smaller questions would not help. */
const TOO_OFTEN = new Set([-32016, -32097, 429])

/** Some nodes call it an internal error, but it is the called code that did it. */
const ranOutOfGas = (nodeText: string): boolean => /out of ?gas/i.test(nodeText)

/**
 * The called code failed, as opposed to a node that would not run it. Nodes agree on code 3 for a revert; for
 * running out of gas there are only words.
 */
export const isExecutionFailure = ({ rpcCode, nodeText }: RpcError): boolean =>
  rpcCode === 3 || ranOutOfGas(nodeText) || /execution reverted/i.test(nodeText)

function readAnswer(method: string, reply: Reply): unknown {
  const answer = parseJsonOrNull(reply.text)
  if (typeof answer !== 'object' || answer === null)
    throw inTrouble(`${method}: no JSON-RPC answer, status ${reply.status}`, reply.status)
  if ('error' in answer && answer.error !== null && answer.error !== undefined) {
    const error = answer.error as { code?: unknown; message?: unknown; data?: unknown }
    const code = typeof error.code === 'number' ? error.code : 0
    const nodeText = String(error.message ?? '').slice(0, 400)
    const itsOwn = TOO_MUCH.has(code) || TOO_OFTEN.has(code) || reply.status === 429 || reply.status >= 500
    if (itsOwn && !ranOutOfGas(nodeText))
      throw inTrouble(`${method}: node in trouble, code ${code}`, reply.status, code)
    const data =
      typeof error.data === 'string' && /^0x[0-9a-f]*$/i.test(error.data) ? (error.data as Hex) : null
    throw new RpcError(method, code, data, nodeText)
  }
  if (!('result' in answer))
    throw new UnavailableError('chain_unavailable', `${method}: answer without result`)
  return answer.result
}

function inTrouble(message: string, status: number, code = 0): UnavailableError {
  const tooOften = status === 429 || TOO_OFTEN.has(code)
  const tooMuch = status === 413 || status >= 500 || TOO_MUCH.has(code)
  return tooMuch && !tooOften ? new TooMuchError(message) : new UnavailableError('chain_unavailable', message)
}
