import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { Arguments, Tool } from './tool.ts'

export type Protocol = {
  about: { name: string; title: string; version: string }
  instructions: string
  url: string
  tools(): ReadonlyMap<string, Tool>
}

/** One message to be answered; `call` is the tool call in it, for the caller it came from. */
export type Message = {
  json: unknown
  version: string // header MCP-Protocol-Version; '' when absent
  call(tool: Tool, args: Arguments, meta: Arguments): Promise<CallToolResult>
}

/** The SDK's side of the server. It takes 0.25 s of CPU to load, so it comes with the first message and not with the start. */
export function createProtocol({ about, instructions, url, tools }: Protocol) {
  const jsonSchemaValidator = new AjvJsonSchemaValidator() // made once: it is what makes a Server slow to make
  const options = { capabilities: { tools: {} }, instructions, jsonSchemaValidator }
  return async ({ json, version, call }: Message): Promise<Response> => {
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

/** The SDK wants both types accepted; we answer in JSON whatever is. */
const headersFor = (version: string): Record<string, string> => ({
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  ...(version === '' ? {} : { 'mcp-protocol-version': version }),
})
