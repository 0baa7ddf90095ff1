import type { ChainView } from './chain.ts'
import { OUTCOMES, type Outcome } from './outcomes.ts'
import type { Attestation, Check } from './receipt.ts'

/** What one entry of the 402's accepts[] asks for. Amounts are atomic decimal text and USDC. */
export type OfferView = {
  scheme: string
  network: string
  asset: string
  assetName: string | null
  payTo: string
  amountAtomic: string
  amountUsdc: string
  maxTimeoutSeconds: number
}

/** The 402, decoded. `sku` and `mode` are the service's own words, when it says them. */
export type AskedView = {
  status: number
  ms: number
  resource: string | null
  description: string | null
  sku: string | null
  mode: string | null
  accepts: OfferView[]
}

/** The signed transfer inside PAYMENT-SIGNATURE. Times are Unix seconds. */
export type SignedView = {
  offer: OfferView
  from: string
  to: string
  valueAtomic: string
  valueUsdc: string
  validAfter: number
  validBefore: number
  nonce: string
}

/** PAYMENT-RESPONSE, decoded. */
export type SettlementView = {
  success: boolean
  transaction: string
  network: string
  payer: string | null
  errorReason: string | null
}

export type AttemptView = {
  status: number | null
  code: string | null
  ms: number
  resendAfterMs: number | null
}

export type ReceiptView = {
  attestationId: string
  keyId: string
  valid: boolean
  checks: Check[]
  attestation: Attestation
}

/** Times are ISO 8601. */
export type PassView = { callsRemaining: number; expiresAt: string }
export type CreditView = { account: string; balanceUsdc: string | null }

/** Row of the sales journal in ClickHouse. */
export type SaleView = {
  found: boolean
  waitedMs: number
  row: Record<string, unknown> | null
  problem: string | null
}

/** Everything about one purchase: what `--json` prints, and what the terminal shows bit by bit. */
export type Report = {
  ok: boolean
  outcome: Outcome
  exitCode: number
  message: string | null //      why it did not end well, and what to do
  request: { method: 'GET'; url: string; buyer: string | null; wallet: string }
  paidWith: 'payment' | 'pass' | 'credit'
  pass: PassView | null //        of a read under a pass: what is left of it
  credit: CreditView | null //    of a read for credit: what is left, as far as we know
  asked: AskedView | null
  signed: SignedView | null
  attempts: AttemptView[]
  settlement: SettlementView | null
  chain: ChainView | null
  answer: unknown //             body of the paid answer, parsed
  receipt: ReceiptView | null
  sale: SaleView | null //       null: not looked for
  resumeFile: string | null //   where the payment waits when its outcome is unknown
}

/** The report of a purchase that has not begun. @param buyer the address that signs; null: nothing is signed now. */
export const newReport = ({
  url,
  paidWith,
  wallet,
  buyer = null,
  resumeFile = null,
}: Pick<Report, 'paidWith'> & {
  url: string
  wallet: string
  buyer?: string | null
  resumeFile?: string | null
}): Report => ({
  ok: false,
  outcome: 'refused',
  exitCode: OUTCOMES.refused.exitCode,
  message: null,
  request: { method: 'GET', url, buyer, wallet },
  paidWith,
  pass: null,
  credit: null,
  asked: null,
  signed: null,
  attempts: [],
  settlement: null,
  chain: null,
  answer: null,
  receipt: null,
  sale: null,
  resumeFile,
})

export function endReport(report: Report, { outcome, message }: Pick<Report, 'outcome' | 'message'>): void {
  const { exitCode } = OUTCOMES[outcome]
  Object.assign(report, { ok: outcome === 'bought', outcome, exitCode, message })
}

/** The steps of a purchase, told as they happen, in this order. */
export type Step =
  | { step: 'start'; request: Report['request'] }
  | { step: 'asked'; asked: AskedView }
  | { step: 'signed'; signed: SignedView; resumed: boolean }
  | { step: 'again'; attempt: AttemptView }
  | { step: 'settled'; settlement: SettlementView; ms: number }
  | { step: 'chain'; chain: ChainView }
  | { step: 'received'; answer: unknown }
  | { step: 'entitled'; pass: PassView | null; credit: CreditView | null }
  | { step: 'receipt'; receipt: ReceiptView }
  | { step: 'sale'; sale: SaleView }
  | { step: 'end'; report: Report }

export type Tell = (step: Step) => void
