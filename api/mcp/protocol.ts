import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  InitializeRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { firstIssue, IN_WORDS } from '../problems/issue.ts'
import { RPC_ERROR } from './codes.ts'
import type { Arguments, Tool } from './tool.ts'

export type Protocol = {
  about: { name: string; title: string; version: string }
  instructions: string
  url: string
  tools(): ReadonlyMap<string, Tool>
}

/** One message to be answered; `call` is the tool call in it, for the caller it came from. */
export type Message = {
  json: object
  version: string // header MCP-Protocol-Version; '' when absent
  call(tool: Tool, args: Arguments, meta: Arguments): Promise<CallToolResult>
}

/**
 * The SDK's side of the server. Loading it takes 0.25 s of CPU, so it is loaded for the first message, not at start.
 */
export function createProtocol({ about, instructions, url, tools }: Protocol) {
  const jsonSchemaValidator = new AjvJsonSchemaValidator() // made once: it makes a Server slow to make
  const options = { capabilities: { tools: {} }, instructions, jsonSchemaValidator }
  return async ({ json, version, call }: Message): Promise<Response> => {
    const refusal = refuseParams(json)
    if (refusal !== null) return refusal
    const server = new Server(about, options)
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [...tools().values()].map(({ listed }) => listed),
    }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const tool = tools().get(params.name)
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'no such tool; see tools/list')
      return call(tool, params.arguments ?? {}, params._meta ?? {})
    })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    return transport.handleRequest(new Request(url, { method: 'POST', headers: headersFor(version) }), {
      parsedBody: json,
    })
  }
}

const SCHEMAS = [InitializeRequestSchema, ListToolsRequestSchema, CallToolRequestSchema]

/** Refuses requests that do not fit their method, in our words: the SDK calls them an internal error. */
function refuseParams(json: { id?: unknown; method?: unknown }): Response | null {
  const schema = SCHEMAS.find(({ shape }) => shape.method.value === json.method)
  if (schema === undefined || json.id === undefined) return null
  const read = schema.safeParse(json, IN_WORDS)
  if (read.success) return null
  const error = { code: RPC_ERROR.invalidParams, message: firstIssue(read.error) }
  return Response.json({ jsonrpc: '2.0', error, id: json.id })
}

/** The SDK wants both types accepted; we always answer in JSON. */
const headersFor = (version: string): Record<string, string> => ({
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  ...(version === '' ? {} : { 'mcp-protocol-version': version }),
})
