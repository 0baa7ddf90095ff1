import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ToolCheck } from '../../../../api/storefront/audit/toolReport.ts'

/** What a tool found: `warnings` by code, each once. */
export type Finding = { judged: number; errors: string[]; warnings: string[] }

// biome-ignore lint/suspicious/noExplicitAny: whoever comes from outside knows no shapes
export type Json = any

/** The warnings that are accepted, each with the reason; any other is an error. */
const EXPLAINED: Readonly<Record<string, string>> = {
  LEGACY_WELL_KNOWN_FOUND:
    'other directories still start at /.well-known/x402; the audit says only that it does not read it',
  L2_ROUTE_COUNT_HIGH: 'every route of the service is described, as the specification of this service asks',
}

const isExplained = (code: string): boolean => code in EXPLAINED

/** A finding as the service publishes it. A warning without an explanation is an error. */
export function toolCheck(
  tool: string,
  version: string,
  checked: string,
  { judged, errors, warnings }: Finding,
): ToolCheck {
  const codes = [...new Set(warnings)].sort()
  return {
    tool,
    version,
    checked,
    judged,
    errors: [...errors, ...codes.filter((code) => !isExplained(code))],
    warnings: codes.filter(isExplained).map((code) => ({ code, why: EXPLAINED[code]! })),
  }
}

/** The version of an installed package; some do not export their package.json. */
export function versionOf(name: string, entry = name): string {
  let folder = dirname(createRequire(import.meta.url).resolve(entry))
  while (!folder.endsWith(name)) folder = dirname(folder)
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}

/** JSON of a surface, as anybody gets it. */
export async function readJson(url: string): Promise<Json> {
  const answer = await fetch(url, { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  return answer.json()
}

/** Everything that is sold, as the service lists it. */
export const listedServices = async (base: string): Promise<Json[]> =>
  (await readJson(`${base}/x402/services.json`)).services

/** The offer of a 402: header PAYMENT-REQUIRED. */
export const requiredIn = (answer: Response): Json =>
  JSON.parse(Buffer.from(answer.headers.get('payment-required') ?? '', 'base64').toString())
