import { z } from 'zod'
import { confirmTransfer, isAuthorizationUsed } from './chain.ts'
import { type Answer, exchange } from './exchange.ts'
import { OUTCOMES, type Outcome, PurchaseEnd } from './outcomes.ts'
import { type Exchanged, payForAnswer, resumePayment } from './pay.ts'
import { forgetPayment, keepPayment, type PendingPayment } from './pending.ts'
import { Attestation, checkReceipt, OracleDescriptor } from './receipt.ts'
import type { AskedView, ReceiptView, Report, SettlementView, SignedView, Tell } from './report.ts'
import { type ClickhouseAccess, findSale } from './sale.ts'
import type { Wallet } from './wallet.ts'
import { readSettlement } from './wire.ts'

/** One purchase, with everything it needs. */
export type Order = {
  url: string
  sku: string | null
  how:
    | { kind: 'sign'; wallet: Wallet; maxMicroUsdc: bigint }
    | { kind: 'resume'; payment: PendingPayment; file: string }
  timeoutMs: number
  rpcUrl: string | null
  clickhouse: ClickhouseAccess | null
  pendingDir: string
}

const Envelope = z.looseObject({
  sku: z.string().optional(),
  result: z.record(z.string(), z.unknown()),
})

/**
 * Asks, pays, takes the answer, and checks it against chain, receipt and journal; tells each step as it
 * happens. Never throws for what can go wrong in the world: the report says how it ended.
 */
export async function purchase(order: Order, tell: Tell): Promise<Report> {
  const report = newReport(order)
  const seen: Exchanged = {
    ...{ asked: null, signed: null, attempts: [], last: null, answer: null, arrived: false, settleMs: 0 },
  }
  tell({ step: 'start', request: report.request })
  let end: { outcome: Outcome; message: string | null }
  try {
    await pay(order, seen, report, tell)
    const bought = await examine(order, seen, report, tell)
    end = bought
  } catch (error) {
    if (!(error instanceof PurchaseEnd)) throw error
    end = await withChainsWord(error, order, seen)
  }
  Object.assign(report, {
    ...{ asked: seen.asked, signed: seen.signed, attempts: seen.attempts },
    ...{ ok: end.outcome === 'bought', outcome: end.outcome, message: end.message },
    exitCode: OUTCOMES[end.outcome].exitCode,
  })
  if (end.outcome !== 'bought') report.answer ??= seen.answer?.json ?? seen.answer?.text ?? null
  if (report.resumeFile !== null && end.outcome !== 'unknown') {
    await forgetPayment(report.resumeFile)
    report.resumeFile = null
  }
  tell({ step: 'end', report })
  return report
}

function newReport({ url, how }: Order): Report {
  const wallet = how.kind === 'sign' ? how.wallet : null
  return {
    ...{ ok: false, outcome: 'refused', exitCode: OUTCOMES.refused.exitCode, message: null },
    request: {
      method: 'GET',
      url,
      buyer: wallet?.account.address ?? null,
      wallet: wallet?.name ?? 'payment signed before',
    },
    ...{ asked: null, signed: null, attempts: [], settlement: null, chain: null },
    ...{ answer: null, receipt: null, sale: null, resumeFile: how.kind === 'resume' ? how.file : null },
  }
}

async function pay(order: Order, seen: Exchanged, report: Report, tell: Tell): Promise<void> {
  const { how, url, sku } = order
  const options = {
    deadlineMs: performance.now() + order.timeoutMs,
    tell,
    keep: async (signed: SignedView, paymentSignature: string) => {
      const signedAt = new Date().toISOString()
      if (how.kind === 'sign')
        report.resumeFile = await keepPayment(order.pendingDir, signed.nonce, {
          url,
          paymentSignature,
          signedAt,
        })
      tell({ step: 'signed', signed, resumed: how.kind === 'resume' })
    },
  }
  if (how.kind === 'resume') await resumePayment(how.payment, options, seen)
  else await payForAnswer(url, { ...options, sku, wallet: how.wallet, maxMicroUsdc: how.maxMicroUsdc }, seen)
}

/** Settlement, chain, answer, receipt and journal of a 200. Fills the report. */
async function examine(
  order: Order,
  seen: Exchanged,
  report: Report,
  tell: Tell,
): Promise<{ outcome: Outcome; message: string | null }> {
  const answer = seen.answer!
  const signed = seen.signed!
  const settlement = readSettlement(answer.headers.get('payment-response'))
  report.settlement = settlement
  if (settlement !== null) tell({ step: 'settled', settlement, ms: seen.settleMs })
  if (order.rpcUrl !== null) {
    report.chain = await confirmTransfer(order.rpcUrl, signed, settlement?.transaction ?? '')
    tell({ step: 'chain', chain: report.chain })
  }
  report.answer = answer.json ?? answer.text
  tell({ step: 'received', answer: report.answer })

  const receipt = await readReceipt(order.url, answer, { signed, settlement, asked: seen.asked })
  if (typeof receipt === 'string') return { outcome: 'unverified', message: receipt }
  report.receipt = receipt
  tell({ step: 'receipt', receipt })
  if (order.clickhouse !== null) {
    report.sale = await findSale(order.clickhouse, receipt.attestationId)
    tell({ step: 'sale', sale: report.sale })
  }
  if (!receipt.valid) {
    const failed = receipt.checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
    return { outcome: 'unverified', message: `the receipt does not verify: ${failed.join('; ')}` }
  }
  if (report.chain?.status === 'wrong')
    return { outcome: 'unverified', message: `the chain disagrees: ${report.chain.why}` }
  return { outcome: 'bought', message: null }
}

/** @returns why there is nothing to check, or the receipt with every check made. */
async function readReceipt(
  url: string,
  answer: Answer,
  known: { signed: SignedView; settlement: SettlementView | null; asked: AskedView | null },
): Promise<ReceiptView | string> {
  const envelope = Envelope.safeParse(answer.json)
  const attestation = Attestation.safeParse(envelope.data?.result.paymentAttestation)
  if (!envelope.success || !attestation.success) return 'the answer carries no receipt (service-receipt-v1)'
  const oracle = await readOracle(url)
  if (oracle === null) return 'the key of the receipt cannot be fetched from /.well-known/receipt-oracle.json'
  const checks = await checkReceipt(attestation.data, oracle, {
    path: new URL(url).pathname,
    sku: envelope.data.sku ?? null,
    result: envelope.data.result,
    merchant: originOf(known.asked?.resource ?? ''),
    ...known,
  })
  const { attestationId, keyId } = attestation.data
  const valid = checks.every(({ ok }) => ok)
  return { attestationId, keyId, valid, checks, attestation: attestation.data }
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)

const ORACLE_TIMEOUT_MS = 10_000

async function readOracle(url: string): Promise<OracleDescriptor | null> {
  const request = new Request(new URL('/.well-known/receipt-oracle.json', url))
  const { answer } = await exchange(request, ORACLE_TIMEOUT_MS)
  const parsed = OracleDescriptor.safeParse(answer?.status === 200 ? answer.json : null)
  return parsed.success ? parsed.data : null
}

/**
 * When a signed payment ended without an answer, the token knows better than the service: a payment that is
 * said to be refused and is used on chain has an unknown outcome.
 */
async function withChainsWord(
  { outcome, message }: PurchaseEnd,
  { rpcUrl }: Order,
  { signed, arrived }: Exchanged,
): Promise<{ outcome: Outcome; message: string }> {
  if (signed === null || !arrived || rpcUrl === null) return { outcome, message }
  const used = await isAuthorizationUsed(rpcUrl, signed)
  if (used === null)
    return { outcome, message: `${message}\nThe chain could not be asked about the payment.` }
  if (used) return { outcome: 'unknown', message: `${message}\nOn chain the payment HAS been taken.` }
  return { outcome, message: `${message}\nOn chain the payment has not been taken so far.` }
}
