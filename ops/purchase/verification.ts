import { z } from 'zod'
import { formatUsdc } from '../units.ts'
import { confirmTransfer } from './chain.ts'
import { exchange } from './exchange.ts'
import { originOf } from './readReceipt.ts'
import {
  Attestation,
  checkPaper,
  checkReceipt,
  type OracleDescriptor,
  RECEIPT_FORMAT,
  SignedPaper,
} from './receipt.ts'
import { lacksSecrets } from './redact.ts'
import type { SignedView } from './report.ts'
import { printable } from './terminal.ts'

/** A signed paper with what came along with it; null: it came without. */
export type Evidence = {
  paper: SignedPaper
  result: Record<string, unknown> | null
  sku: string | null
  url: string | null
  base: string | null
  rpcUrl: string | null
}

/** `ok` null: not looked at, and why. */
export type VerifyCheck = { name: string; ok: boolean | null; detail: string }
export type Verification = { valid: boolean; checks: VerifyCheck[] }

const Result = z.looseObject({ paymentAttestation: SignedPaper })
const Envelope = z.looseObject({ sku: z.string().optional(), result: Result })
const Report = z.looseObject({ answer: Envelope, request: z.looseObject({ url: z.url() }).optional() })

/** Finds the receipt in an attestation, a result, an answer, a report or a kept purchase. null: there is none. */
export function evidenceIn(json: unknown): Evidence | null {
  const nothing = { result: null, sku: null, url: null, base: null, rpcUrl: null }
  const paper = SignedPaper.safeParse(json).data
  if (paper !== undefined) return { ...nothing, paper }
  const result = Result.safeParse(json).data
  if (result !== undefined) return { ...nothing, paper: result.paymentAttestation, result }
  const envelope = Envelope.safeParse(json).data
  if (envelope !== undefined) return { ...evidenceIn(envelope.result)!, sku: envelope.sku ?? null }
  const report = Report.safeParse(json).data ?? Report.safeParse(inner(json)).data
  if (report === undefined) return null
  const url = report.request?.url ?? null
  return { ...evidenceIn(report.answer)!, url, base: url === null ? null : new URL(url).origin }
}

/** `receipts <id> --json` has the purchase one level down. */
const inner = (json: unknown): unknown =>
  typeof json === 'object' && json !== null && 'purchase' in json ? json.purchase : null

/** @property chainDemanded a node that cannot tell is a failure, since it was named for this. */
type Where = {
  base: string
  offline: boolean
  timeoutMs: number
  rpcUrl: string | null
  chainDemanded: boolean
}

const CUT =
  'secrets in the answer are cut, so it cannot be hashed: verify by the id, or what --show-secrets shows'

/** Every check that can be made; valid when none fails. */
export async function verifyEvidence(
  { paper, result, sku, url }: Evidence,
  oracle: OracleDescriptor,
  where: Where,
): Promise<Verification> {
  const receipt = Attestation.safeParse(paper).data
  const made =
    receipt === undefined
      ? await checkPaper(paper, oracle)
      : await checkReceipt(receipt, oracle, {
          result,
          sku,
          merchant: null,
          signed: null,
          settlement: null,
          path: url === null ? null : new URL(url).pathname,
        })
  const checks: VerifyCheck[] = made.map((check) =>
    check.name === 'response' && !check.ok && lacksSecrets(result)
      ? { ...check, ok: null, detail: CUT }
      : check,
  )
  checks.push(...checkNames(paper))
  if (receipt !== undefined && result === null)
    checks.push({ name: 'response', ok: null, detail: 'the answer is not here to be hashed' })
  checks.push(await askService(paper, where), await askChain(paper, where))
  return { valid: checks.every(({ ok }) => ok !== false), checks }
}

/** The wrapper's own words count for nothing unless the signed payload says the same. */
const checkNames = ({ attestationId, format, keyId, payload }: SignedPaper): VerifyCheck[] =>
  Object.entries({ attestationId, format, keyId }).flatMap(([name, said]) =>
    payload[name] === said
      ? []
      : [
          {
            name,
            ok: false,
            detail: printable(`signed is ${String(payload[name])}, around it stands ${said}`),
          },
        ],
  )

const Verdict = z.looseObject({ valid: z.boolean(), reason: z.string().optional() })

async function askService(
  { attestationId: id, payload, signature }: SignedPaper,
  { base, offline, timeoutMs }: Where,
): Promise<VerifyCheck> {
  const name = 'service'
  if (offline) return { name, ok: null, detail: 'not asked (--offline)' }
  const origin = originOf(base)
  if (origin === null) return { name, ok: null, detail: 'the receipt does not say whose it is' }
  const { answer, attempt } = await exchange(
    new Request(new URL('/api/receipt-oracle/verify', origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, payload, signature }),
    }),
    timeoutMs,
  )
  if (answer === null) return { name, ok: false, detail: `${base} does not answer (${attempt.reason})` }
  const verdict = Verdict.safeParse(answer.json).data
  if (verdict === undefined) return { name, ok: false, detail: `answers ${answer.status} without a verdict` }
  return {
    name,
    ok: verdict.valid,
    detail: verdict.valid ? `${base} says valid` : (verdict.reason ?? 'says no'),
  }
}

const Transfer = z.looseObject({
  format: z.literal(RECEIPT_FORMAT),
  network: z.string().regex(/^eip155:\d+$/),
  asset: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  payer: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  payTo: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  amountAtomic: z.string().regex(/^\d{1,30}$/),
  transaction: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
})

/** The transfer that a receipt names, on the chain that it names. */
async function askChain(
  { payload }: SignedPaper,
  { rpcUrl, offline, chainDemanded }: Where,
): Promise<VerifyCheck> {
  const name = 'chain'
  const transfer = Transfer.safeParse(payload).data
  if (transfer === undefined) return { name, ok: null, detail: 'names no transfer of a token' }
  if (offline) return { name, ok: null, detail: 'not asked (--offline)' }
  if (rpcUrl === null) return { name, ok: null, detail: 'no node is known; give one with --rpc' }
  const view = await confirmTransfer(rpcUrl, signedOf(transfer), transfer.transaction)
  if (view.status === 'confirmed')
    return { name, ok: true, detail: `in block ${view.block}, ${view.blockTime}` }
  return { name, ok: view.status === 'wrong' || chainDemanded ? false : null, detail: view.why }
}

/** The parts of a signed payment that the chain can be asked about. */
const signedOf = (transfer: z.infer<typeof Transfer>): SignedView => ({
  offer: {
    scheme: 'exact',
    network: transfer.network,
    asset: transfer.asset,
    assetName: null,
    payTo: transfer.payTo,
    amountAtomic: transfer.amountAtomic,
    maxTimeoutSeconds: 0,
    amountUsdc: formatUsdc(BigInt(transfer.amountAtomic)),
  },
  from: transfer.payer,
  to: transfer.payTo,
  valueAtomic: transfer.amountAtomic,
  valueUsdc: formatUsdc(BigInt(transfer.amountAtomic)),
  validAfter: 0,
  validBefore: 0,
  nonce: '',
})
