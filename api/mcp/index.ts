import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { parseStrictJson, StrictJsonError } from '../../ops/strictJson.ts'
import { BodyTooLarge, type Handler, type HttpRequest, type Reply } from '../http/exchange.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import type { Facts } from '../storefront/facts.ts'
import { PLACES } from '../storefront/places.ts'
import { INTERFACE_VERSION, SERVICE_NAME, SERVICE_SLUG } from '../storefront/service.ts'
import { type Caller, callerOf, requestOf } from './call.ts'
import { FREE_TOOLS } from './freeTools.ts'
import { instructionsOf } from './instructions.ts'
import { createOriginCheck } from './origins.ts'
import { paidTool } from './paidTools.ts'
import { resultOf } from './result.ts'
import type { Arguments, Tool } from './tool.ts'

/** A log sample of 64 KiB, escaped, and a payment. */
const MAX_BODY_BYTES = 256 * 1024
const MAX_DEPTH = 32
const FORBIDDEN = -32_000

export type McpPorts = {
  facts: Pick<Facts, 'goods' | 'terms' | 'publicUrl'>
  origins: string //        MCP_ORIGINS
  serve: Handler //         every other route of this service, behind its gate
  isServed(path: string): boolean // asked at the first call
  log: Log
}

/**
 * The MCP server (streamable HTTP, JSON answers, no sessions): every call stands for itself, so any process answers it. A tool
 * call becomes the HTTP request it stands for, so that price, payment, refusals and receipts are those of HTTP. Cost: one
 * protocol object of the SDK per message.
 */
export function mcpRoute({ facts, origins, serve, isServed, log }: McpPorts): Omit<Route, 'limit'> {
  const { terms, publicUrl, goods } = facts
  const url = `${publicUrl}${PLACES.mcp.path}`
  const all = [...goods.map((good) => paidTool(good, terms.network)), ...FREE_TOOLS]
  let byName: ReadonlyMap<string, Tool> | null = null
  const tools = () => {
    byName ??= new Map(all.filter(({ path }) => isServed(path)).map((tool) => [tool.listed.name, tool]))
    return byName
  }
  const jsonSchemaValidator = new AjvJsonSchemaValidator() // made once: it is what makes a Server slow to make
  const about = { name: SERVICE_SLUG, title: SERVICE_NAME, version: INTERFACE_VERSION }
  const options = { capabilities: { tools: {} }, instructions: instructionsOf(terms), jsonSchemaValidator }

  const call = async (tool: Tool, args: Arguments, meta: Arguments, caller: Caller) => {
    const request = requestOf(tool, args, meta, caller)
    if (typeof request === 'string')
      return resultOf(tool, problemReply({ problem: 'invalid_parameter', detail: request }), url)
    try {
      return resultOf(tool, await serve(request), url)
    } catch (error) {
      log.error({ tool: tool.listed.name, reason: describeError(error) }, 'tool failed')
      return resultOf(tool, problemReply({ problem: 'internal' }), url)
    }
  }

  const answer = async (message: unknown, version: string, caller: Caller): Promise<Response> => {
    const server = new Server(about, options)
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [...tools().values()].map(({ listed }) => listed),
    }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const tool = tools().get(params.name)
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'no such tool; see tools/list')
      return call(tool, params.arguments ?? {}, params._meta ?? {}, caller)
    })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    return transport.handleRequest(new Request(url, { method: 'POST', headers: headersFor(version) }), {
      parsedBody: message,
    })
  }

  const isAllowed = createOriginCheck(publicUrl, origins)
  return {
    method: 'POST',
    path: PLACES.mcp.path,
    async handler(request) {
      if (!isAllowed(request.header('origin'))) return failed(403, FORBIDDEN, 'this origin may not call')
      if (!isJson(request.header('content-type'))) return failed(415, FORBIDDEN, 'send application/json')
      const version = request.header('mcp-protocol-version')
      const caller = callerOf(request)
      const message = await readMessage(request)
      return 'status' in message ? message : replyOf(await answer(message.json, version, caller))
    },
  }
}

async function readMessage(request: HttpRequest): Promise<{ json: object } | Reply> {
  try {
    const json = parseStrictJson((await request.body(MAX_BODY_BYTES)).toString('utf8'), MAX_DEPTH)
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      return failed(400, ErrorCode.InvalidRequest, 'one JSON-RPC message a request; no batches')
    return { json }
  } catch (error) {
    if (error instanceof BodyTooLarge)
      return failed(413, ErrorCode.InvalidRequest, `at most ${MAX_BODY_BYTES} bytes`)
    if (error instanceof StrictJsonError) return failed(400, ErrorCode.ParseError, 'not strict JSON')
    throw error
  }
}

const isJson = (type: string): boolean => /^application\/json\s*(;|$)/i.test(type)

/** The SDK wants both types accepted; we answer in JSON whatever is. */
const headersFor = (version: string): Record<string, string> => ({
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  ...(version === '' ? {} : { 'mcp-protocol-version': version }),
})

const failed = (status: number, code: number, message: string): Reply =>
  jsonReply(status, { jsonrpc: '2.0', error: { code, message }, id: null }, [NO_STORE])

async function replyOf(response: Response): Promise<Reply> {
  const type = response.headers.get('content-type')
  return {
    status: response.status,
    headers: [...(type === null ? [] : [['content-type', type] as const]), NO_STORE],
    body: await response.text(),
  }
}
