import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { x402Client } from '@x402/core/client'
import { parsePaymentRequired } from '@x402/core/schemas'
import type { PaymentPayload, PaymentRequired, SettleResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any

/** The official client, connected. @param headers of every request it makes. */
export async function connectMcp(base: string, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'a-test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers } })
  //  its types say `string | undefined` where those of the transport say optional
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return client
}

export type McpClient = Awaited<ReturnType<typeof connectMcp>>
export type Called = {
  isError: boolean
  json: Json //           structuredContent
  text: string //         content[0]
  content: { type: string; text: string }[]
  settled: SettleResponse | undefined
}

export async function callTool(
  client: McpClient,
  name: string,
  args: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Promise<Called> {
  const result = CallToolResultSchema.parse(
    await client.callTool({ name, arguments: args, _meta: meta }, undefined, { timeout: 60_000 }),
  )
  const content = result.content as Called['content']
  return {
    isError: result.isError ?? false,
    json: result.structuredContent,
    text: content[0]!.text,
    content,
    settled: result._meta?.['x402/payment-response'] as SettleResponse | undefined,
  }
}

/** What the x402 MCP client reads out of a result, in its order: structured content, else the first text. */
export function requiredOf(called: Called): PaymentRequired {
  for (const candidate of [called.json, JSON.parse(called.text)]) {
    const parsed = parsePaymentRequired(candidate)
    if (parsed.success) return parsed.data as PaymentRequired
  }
  throw new Error(`no PaymentRequired: ${called.text}`)
}

/** The stock x402 client with this key; without its cap of one dollar, as packs cost more. */
export function wallet(privateKey: Hex): x402Client {
  return x402Client.fromConfig({
    schemes: [{ network: 'eip155:8453', client: new ExactEvmScheme(privateKeyToAccount(privateKey)) }],
    spendControls: false,
  })
}

/** Call, sign what is asked for, call again: the x402 MCP transport. */
export async function buyTool(
  client: McpClient,
  payer: x402Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Called & { payment: PaymentPayload }> {
  const payment = await payer.createPaymentPayload(requiredOf(await callTool(client, name, args)))
  return { ...(await callTool(client, name, args, { 'x402/payment': payment })), payment }
}
