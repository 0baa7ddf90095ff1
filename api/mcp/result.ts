import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { isStream, type Reply } from '../http/exchange.ts'
import { BAZAAR } from '../payment/extensions/bazaar.ts'
import { PAYMENT_META } from './call.ts'
import type { Tool } from './tool.ts'

/** Key of `_meta` for the outcome of a payment, from the x402 MCP transport: a SettlementResponse as JSON. */
const PAYMENT_RESPONSE_META = 'x402/payment-response'

/** Replaces what HTTP says about sending the same GET again with a header. */
const PAY_NEXT = `Sign one of accepts[] and call this tool again with the PaymentPayload in _meta["${PAYMENT_META}"].`

type Json = Record<string, unknown>

/**
 * An HTTP answer as the result of a tool call. An answer that asks for payment is a PaymentRequired, in both places
 * where clients look for one; every other refusal is the problem object. A paid answer is exactly the text that HTTP
 * would have sent.
 * @param url of the MCP endpoint: with the tool's name it is the resource that is offered
 */
export function resultOf(tool: Tool, reply: Reply, url: string): CallToolResult {
  const body = textOf(reply.body)
  const words = JSON.parse(body) as Json
  const required = headerOf(reply, 'payment-required')
  const settled = headerOf(reply, 'payment-response')
  const meta = settled === undefined ? {} : { _meta: { [PAYMENT_RESPONSE_META]: decoded(settled) } }
  if (reply.status === 200) return { content: [text(body)], structuredContent: words, ...meta }
  //  a client signs for every offer that it sees: who has sent two payments would send a third
  const isOffer = required !== undefined && words.code !== 'two_payments'
  const structuredContent = isOffer
    ? requiredOf(tool, decoded(required), words, url)
    : problemOf(reply, words)
  const next = words.code === 'payment_required' ? PAY_NEXT : words.next
  return {
    isError: true,
    content: [text(JSON.stringify(structuredContent)), ...(typeof next === 'string' ? [text(next)] : [])],
    structuredContent,
    ...meta,
  }
}

/** The offer of a 402, for this tool. For a payment that cannot even be read it says why. */
function requiredOf({ discovery }: Tool, required: Json, { code, detail }: Json, url: string): Json {
  return {
    ...required,
    error: detail === undefined ? required.error : `${code}: ${detail}`,
    resource: { ...(required.resource as Json), url },
    extensions: { ...(required.extensions as Json), ...(discovery === null ? {} : { [BAZAAR]: discovery }) },
  }
}

/** A tool result has no headers, so Retry-After becomes a field of the problem. */
function problemOf(reply: Reply, words: Json): Json {
  const retryAfter = headerOf(reply, 'retry-after')
  return retryAfter === undefined ? words : { ...words, retryAfterS: Number(retryAfter) }
}

const text = (words: string) => ({ type: 'text' as const, text: words })

const headerOf = ({ headers }: Reply, wanted: string): string | undefined =>
  headers.find(([name]) => name === wanted)?.[1]

const decoded = (header: string): Json => JSON.parse(Buffer.from(header, 'base64').toString()) as Json

function textOf(body: Reply['body']): string {
  if (isStream(body)) throw new Error('a tool answers whole')
  return typeof body === 'string' ? body : Buffer.from(body).toString()
}
