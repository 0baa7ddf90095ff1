import { z } from 'zod'
import type { Answer } from './exchange.ts'
import type { Home } from './kept/home.ts'
import { fetchOracle, keepOracle } from './oracle.ts'
import { Attestation, type Check, checkReceipt } from './receipt.ts'
import type { ReceiptView, SettlementView, SignedView } from './report.ts'

/** A paid answer as far as a buyer needs it (spec 2.1). */
export const Envelope = z.looseObject({
  sku: z.string().optional(),
  result: z.record(z.string(), z.unknown()),
})

/** @returns why there is nothing to check, or the receipt of a paid answer with every check made. */
export async function readReceipt(
  url: string,
  { json }: Answer,
  home: Home,
  known: { signed: SignedView | null; settlement: SettlementView | null; merchant: string | null },
): Promise<ReceiptView | string> {
  const envelope = Envelope.safeParse(json)
  const attestation = Attestation.safeParse(envelope.data?.result.paymentAttestation)
  if (!envelope.success || !attestation.success) return 'the answer carries no receipt (service-receipt-v1)'
  const oracle = await fetchOracle(url)
  if (oracle === null) return 'the key of the receipt cannot be fetched from /.well-known/receipt-oracle.json'
  await keepOracle(home, new URL(url).origin, oracle)
  const checks = await checkReceipt(attestation.data, oracle, {
    path: new URL(url).pathname,
    sku: envelope.data.sku ?? null,
    result: envelope.data.result,
    ...known,
  })
  const { attestationId, keyId } = attestation.data
  const valid = checks.every(({ ok }) => ok)
  return { attestationId, keyId, valid, checks, attestation: attestation.data }
}

export const describeFailed = (checks: readonly Check[]): string => {
  const failed = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
  return `the receipt does not verify: ${failed.join('; ')}`
}

/** The origin of a URL that can be asked; null for anything else a stranger may have written there. */
export const originOf = (url: string): string | null =>
  /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : null
