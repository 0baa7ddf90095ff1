/** The newest revision of MCP that is spoken here: that of the SDK, which a test compares. */
export const MCP_VERSION = '2025-11-25'

/** Error codes of JSON-RPC 2.0 as MCP uses them. */
export const RPC_ERROR = { parse: -32_700, invalidRequest: -32_600, forbidden: -32_000 } as const
