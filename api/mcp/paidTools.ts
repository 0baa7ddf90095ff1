import { formatUsdc } from '../../ops/units.ts'
import { tokenKindOf } from '../entitlements/issue.ts'
import type { Good } from '../goods/good.ts'
import { misnamed } from '../goods/misnamed.ts'
import { inlineSchema, type JsonSchema } from '../openapi/schemas.ts'
import { bazaarOf } from '../payment/extensions/bazaar.ts'
import { nameOf } from '../storefront/prose.ts'
import { type Arguments, type Tool, type ToolRequest, textArguments } from './tool.ts'

/** The argument that travels as header X-Service-Payload. */
const PAYLOAD = 'payload'

/** A good sold by GET, as a tool that is paid for over the x402 MCP transport. */
export function paidTool(good: Good<unknown>, network: string): Tool {
  const name = nameOf(good)
  const price = formatUsdc(good.priceMicroUsdc)
  const description = `${good.description} Paid: $${price} USDC via x402 on ${network}, see the server's instructions. Nothing is charged when the call is refused.`
  const inputSchema = inputSchemaOf(good)
  const example = exampleOf(good)
  const isGrant = tokenKindOf(good) !== null
  const title = good.title
  return {
    path: good.path,
    requestFor: (args) => requestFor(good, args),
    discovery: discoveryOf(good, { toolName: name, description: good.description, inputSchema, example }),
    listed: {
      name,
      title,
      description,
      inputSchema,
      outputSchema: outputSchemaOf(good),
      //  called again with the same payment it gives the same answer; with another it is another purchase
      annotations: {
        title,
        readOnlyHint: !isGrant,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
      _meta: {
        examples: [example],
        price: { scheme: 'exact', network, amountUsdc: price, amountAtomic: good.priceMicroUsdc.toString() },
        sku: good.sku,
      },
    },
  }
}

function requestFor(good: Good<unknown>, args: Arguments): ToolRequest | string {
  const names = good.parameters.map((parameter) => parameter.name)
  const mistake = misnamed(names, Object.keys(args))
  if (mistake !== null) return mistake
  const query = textArguments(args, names)
  const extra = good.payload === undefined ? {} : textArguments(args, [PAYLOAD])
  if (typeof query === 'string') return query
  if (typeof extra === 'string') return extra
  const headers = extra[PAYLOAD] === undefined ? {} : { 'x-service-payload': extra[PAYLOAD] }
  return { method: 'GET', path: good.path, query, headers, body: '' }
}

type InputSchema = Tool['listed']['inputSchema']

/** The query as the 402 over HTTP describes it, and the payload header as an argument of its own. */
function inputSchemaOf(good: Good<unknown>): InputSchema {
  const { queryParams } = bazaarOf(good).schema.properties.input.properties
  const { properties = {}, required } = (queryParams ?? {}) as { properties?: object; required?: string[] }
  const payload = good.payload && {
    [PAYLOAD]: { type: 'string', description: good.payload.description },
  }
  return {
    type: 'object',
    properties: { ...properties, ...payload } as InputSchema['properties'],
    ...(required === undefined ? {} : { required }),
  }
}

/** Arguments of a call that gets an answer. Of arguments that stand for one another, the first. */
const exampleOf = ({ parameters }: Good<unknown>): Record<string, string> => {
  const required = parameters.filter((parameter) => parameter.required)
  const shown = required.length > 0 ? required : parameters.slice(0, 1)
  return Object.fromEntries(shown.map(({ name, example }) => [name, example]))
}

/**
 * Clients check every structured content against this, also that of an error: so it says what an answer is, what an
 * offer is, and that anything else says `ok: false`.
 */
const outputSchemaOf = (good: Good<unknown>): Tool['listed']['outputSchema'] => ({
  type: 'object',
  anyOf: [
    {
      properties: { ok: { const: true }, sku: { const: good.sku }, result: inlineSchema(good.output) },
      required: ['ok', 'sku', 'result'],
    },
    {
      title: 'PaymentRequired',
      properties: { x402Version: { const: 2 }, accepts: { type: 'array' } },
      required: ['x402Version', 'accepts'],
    },
    {
      title: 'Problem',
      properties: { ok: { const: false }, code: { type: 'string' }, retryable: { type: 'boolean' } },
      required: ['ok'],
    },
  ],
})

type Described = { toolName: string; description: string; inputSchema: object; example: object }

/** `extensions.bazaar` as catalogues expect it of a tool; the output is that of the same read over HTTP. */
function discoveryOf(good: Good<unknown>, described: Described) {
  const { info, schema } = bazaarOf(good)
  const { output } = schema.properties as { output: JsonSchema }
  return {
    info: {
      input: { type: 'mcp', transport: 'streamable-http', ...described },
      output: info.output,
    },
    schema: {
      $schema: schema.$schema,
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'mcp' },
            transport: { type: 'string', enum: ['streamable-http'] },
            toolName: { type: 'string' },
            description: { type: 'string' },
            inputSchema: { type: 'object' },
            example: { type: 'object' },
          },
          required: ['type', 'toolName', 'inputSchema'],
          additionalProperties: false,
        },
        output,
      },
      required: ['input'],
    },
  }
}
