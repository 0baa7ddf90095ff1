/** The newest MCP revision supported: that of the SDK, which a test compares. */
export const MCP_VERSION = '2025-11-25'

/**
 * Bounds of one message: room for an escaped log sample of 64 KiB and a payment. A payment and a receipt have about a
 * hundred values together. A message is read up to these bounds before its caller can be refused: half a millisecond.
 */
export const MESSAGE_MAX = { bytes: 256 * 1024, depth: 32, values: 2_000 } as const

/** Error codes of JSON-RPC 2.0 as MCP uses them. */
export const RPC_ERROR = {
  parse: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  forbidden: -32_000,
} as const
