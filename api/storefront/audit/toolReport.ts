import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { sha256Hex } from '../../receipts/canonical.ts'
import type { Said } from './readers.ts'

/** What one tool of somebody else's reported about a running service. */
export const ToolCheck = z.object({
  tool: z.string(),
  version: z.string(),
  checked: z.string().describe('What it was shown'),
  judged: z.int().describe('How many things of that'),
  errors: z.array(z.string()),
  warnings: z.array(z.object({ code: z.string(), why: z.string().describe('Why it stands') })),
})
export type ToolCheck = z.infer<typeof ToolCheck>

/** All tool checks, and a digest of what was sold then. */
export const ToolReport = z.object({
  soldDigest: z
    .string()
    .describe('SHA-256 hex, shortened, of paths, SKUs, prices and parameters as the 402s had them'),
  checks: z.array(ToolCheck),
})
export type ToolReport = z.infer<typeof ToolReport>

/**
 * Written by the tests of this version (test/spec/storefront/tools.test.ts), which fail when the tools report something
 * else. A tool that needs a network, a browser or a wallet has no place in a process that sells, so no tool runs again
 * at its start.
 */
export const TOOL_REPORT_FILE = new URL('toolReport.json', import.meta.url)

export const readToolReport = (): ToolReport =>
  ToolReport.parse(JSON.parse(readFileSync(TOOL_REPORT_FILE, 'utf8')))

/** A digest of what is sold, regardless of receiver and chain. */
export function soldDigest(charged: readonly Said[]): string {
  const sold = charged
    .map((good) => [good.path, good.sku, good.amount, good.parameters, good.required, good.headers])
    .sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1))
  return sha256Hex(JSON.stringify(sold)).slice(0, 16)
}
