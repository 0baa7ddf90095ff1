import { z } from 'zod'
import { SECOND } from '../units.ts'
import { exchange } from './exchange.ts'
import { LISTING_PATH } from './listing.ts'
import { PurchaseEnd } from './outcomes.ts'

const SKU = /^SKU_[A-Z0-9_]{1,60}$/
const LOOKUP_TIMEOUT_MS = 5 * SECOND

/** What is asked for: the URL, and the SKU that the 402 must name when the buyer asked by SKU. */
export type Target = { url: string; sku: string | null }

/** Where the buyer's words point to, without asking anybody. */
export type Pointer =
  | { kind: 'url'; url: URL }
  | { kind: 'path'; path: string }
  | { kind: 'sku'; sku: string }

/** @throws PurchaseEnd `usage` */
export function readPointer(text: string): Pointer {
  if (SKU.test(text)) return { kind: 'sku', sku: text }
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return { kind: 'url', url: new URL(text) }
  if (/^\/[\x21-\x7e]*$/.test(text)) return { kind: 'path', path: text }
  throw new PurchaseEnd('usage', `"${text}" is no path (/x402/v1/…), SKU (SKU_…) or URL`)
}

export async function resolveTarget(
  pointer: Pointer,
  base: string,
  parameters: [string, string][],
): Promise<Target> {
  if (pointer.kind === 'url') return { url: withParameters(pointer.url, parameters), sku: null }
  if (pointer.kind === 'path')
    return { url: withParameters(urlAt(pointer.path, base), parameters), sku: null }
  const path = await pathOfSku(pointer.sku, base)
  return { url: withParameters(new URL(path, base), parameters), sku: pointer.sku }
}

/** `new URL` makes another host of `//other/x` and `/\\other/x`, but the paying wallet was chosen for this one. */
function urlAt(path: string, base: string): URL {
  const url = new URL(path, base)
  if (url.origin !== new URL(base).origin) throw new PurchaseEnd('usage', `"${path}" is no path of ${base}`)
  return url
}

function withParameters(url: URL, parameters: [string, string][]): string {
  const target = new URL(url)
  for (const [name, value] of parameters) target.searchParams.append(name, value)
  target.hash = ''
  return target.href
}

const CatalogEntry = z.object({ sku: z.string(), path: z.string().regex(/^\/x402\//) })

/**
 * The path that the service's own listing gives for a SKU; one made of its name where it publishes no listing.
 * @throws PurchaseEnd `usage` when the listing has others only.
 */
async function pathOfSku(sku: string, base: string): Promise<string> {
  const { answer } = await exchange(new Request(new URL(LISTING_PATH, base)), LOOKUP_TIMEOUT_MS)
  if (answer?.status !== 200 || answer.json === undefined) return pathByName(sku)
  const path = findEntry(answer.json, sku, 0)
  if (path !== null) return path
  throw new PurchaseEnd('usage', `${sku} is no read of ${base}; ./ops/buy list shows what is`)
}

function findEntry(json: unknown, sku: string, depth: number): string | null {
  if (typeof json !== 'object' || json === null || depth > 6) return null
  const entry = CatalogEntry.safeParse(json)
  if (entry.success && entry.data.sku === sku) return entry.data.path
  for (const part of Object.values(json)) {
    const found = findEntry(part, sku, depth + 1)
    if (found !== null) return found
  }
  return null
}

/** `SKU_AG_BOT_FUEL_01` → `/x402/v1/bot-fuel`: how paths are named. The 402 must confirm the SKU before anything is paid. */
function pathByName(sku: string): string {
  const name = sku
    .replace(/^SKU_(AG_)?/, '')
    .replace(/_\d+$/, '')
    .toLowerCase()
    .replaceAll('_', '-')
  return `/x402/v1/${name}`
}
