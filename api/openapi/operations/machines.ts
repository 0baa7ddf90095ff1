import { z } from 'zod'
import { STANDING } from '../../mcp/call.ts'
import { MESSAGE_MAX } from '../../mcp/codes.ts'
import { SANDBOX_SIGN_PATH, SIGN_MAX_BYTES, SignAsked, Signed } from '../../pages/sandboxSign.ts'
import type { Facts } from '../../storefront/facts.ts'
import { PLACES } from '../../storefront/places.ts'
import { atMost, json, type Operation } from '../operation.ts'
import { PAYMENT_PARAMETERS } from '../paymentHeaders.ts'

/** One JSON-RPC 2.0 message; the MCP specification says what may be in it. */
const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
})
const failed = (code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message }, id: null })

/** Headers that may be set on the connection, for every call on it. */
const STANDS: readonly string[] = [...STANDING, 'x-agent-id']

const ADDRESS = `0x${'0'.repeat(40)}`

/** Routes that only programs call. */
export const MACHINES: readonly Operation[] = [
  {
    method: 'POST',
    path: PLACES.mcp.path,
    id: 'mcp',
    tag: 'discovery',
    summary: 'MCP server (streamable HTTP, no sessions): every read is a paid tool',
    description:
      'One message per request. An unpaid tool call answers isError with the same offer as the 402; the payment then comes in _meta["x402/payment"], the settlement back in _meta["x402/payment-response"].',
    parameters: PAYMENT_PARAMETERS.filter(({ name }) => STANDS.includes(name.toLowerCase())),
    body: {
      schema: Message,
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      limit: `${atMost(MESSAGE_MAX.bytes)} and ${MESSAGE_MAX.values} values`,
    },
    answers: {
      200: {
        description: 'The answer to a request',
        content: json(Message, { jsonrpc: '2.0', id: 1, result: { tools: [] } }),
      },
      202: { description: 'A notification was accepted; no body' },
      400: {
        description: 'Not a single JSON-RPC message, or a header of the connection came twice',
        content: json(Message, failed(-32_700, 'not strict JSON')),
      },
      403: {
        description: 'This origin may not call',
        content: json(Message, failed(-32_000, 'this origin may not call')),
      },
      413: {
        description: 'Too long',
        content: json(Message, failed(-32_600, `at most ${MESSAGE_MAX.bytes} bytes`)),
      },
      415: { description: 'Not JSON', content: json(Message, failed(-32_000, 'send application/json')) },
    },
  },
]

/** The sandbox's test wallet; the example it signs is an offer of this service. */
export function sandboxSign({ goods, terms }: Facts): Operation {
  const { network, asset, payTo, maxTimeoutSeconds } = terms
  const amount = goods[0]!.priceMicroUsdc.toString()
  return {
    method: 'POST',
    path: SANDBOX_SIGN_PATH,
    id: 'sandboxSign',
    tag: 'pages',
    summary: 'Signs a payment with play money; only a sandbox has it',
    body: {
      schema: SignAsked,
      example: { accepted: { scheme: 'exact', network, asset, payTo, amount, maxTimeoutSeconds } },
      limit: `${atMost(SIGN_MAX_BYTES)}; an entry of accepts[] of this service`,
    },
    answers: {
      200: {
        description: 'payload of an x402 v2 PaymentPayload',
        content: json(Signed, {
          ok: true,
          mode: 'sandbox',
          payload: {
            signature: '0x...',
            authorization: {
              from: ADDRESS,
              to: payTo,
              value: amount,
              validAfter: '0',
              validBefore: '1790000300',
              nonce: `0x${'0'.repeat(64)}`,
            },
          },
        }),
      },
    },
    problems: ['malformed_request', 'invalid_parameter', 'body_too_large', 'chain_unavailable'],
    when: ({ testWallet }) => testWallet,
  }
}
