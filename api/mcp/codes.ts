/** The newest revision of MCP that is spoken here: that of the SDK, which a test compares. */
export const MCP_VERSION = '2025-11-25'

/**
 * What one message may be: a log sample of 64 KiB, escaped, and a payment; a payment and a receipt are a hundred values together.
 * So much is read of every message before its caller can be refused: half a millisecond.
 */
export const MESSAGE_MAX = { bytes: 256 * 1024, depth: 32, values: 2_000 } as const

/** Error codes of JSON-RPC 2.0 as MCP uses them. */
export const RPC_ERROR = {
  parse: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  forbidden: -32_000,
} as const
