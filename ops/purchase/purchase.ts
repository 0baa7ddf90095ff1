import { messageOf } from '../errors.ts'
import { confirmTransfer, isAuthorizationUsed } from './chain.ts'
import { removeFile } from './kept/files.ts'
import type { Home } from './kept/home.ts'
import type { Purse } from './kept/spending.ts'
import { type Outcome, PurchaseEnd } from './outcomes.ts'
import { type Exchanged, payForAnswer, resumePayment } from './pay.ts'
import { forgetPayment, keepPayment, type PendingPayment, readPayment } from './pending.ts'
import { describeFailed, originOf, readReceipt } from './readReceipt.ts'
import { keepRefused } from './refused.ts'
import { endReport, newReport, type Report, type SignedView, type Tell } from './report.ts'
import { type ClickhouseAccess, findSale } from './sale.ts'
import type { Wallet } from './wallet.ts'
import { readSettlement } from './wire.ts'

/** One purchase, with everything it needs. */
export type Order = {
  url: string
  sku: string | null
  headers: Record<string, string> // besides the payment: x-agent-id and what a good asks for
  how:
    | { kind: 'sign'; wallet: Wallet; purse: Purse }
    | { kind: 'resume'; payment: PendingPayment; file: string }
  timeoutMs: number
  /** Keeps what was bought. Only then is the payment forgotten: with it the answer can be fetched again. */
  keep(report: Report): Promise<void>
  rpcUrl: string | null
  journal: ClickhouseAccess | null
  home: Home
}

/** Outcomes for which the service says that nothing was taken. */
const REFUSED = new Set<Outcome>(['refused', 'payment_refused'])

/**
 * Asks, pays, takes the answer, and checks it against chain, receipt and journal; tells each step as it
 * happens. Never throws for what can go wrong in the world: the report says how it ended.
 */
export async function purchase(order: Order, tell: Tell): Promise<Report> {
  const report = reportOf(order)
  const seen: Exchanged = {
    asked: null,
    signed: null,
    attempts: [],
    answer: null,
    settleMs: 0,
    arrived: order.how.kind === 'resume',
  }
  tell({ step: 'start', request: report.request })
  let end: Pick<Report, 'outcome' | 'message'>
  try {
    await pay(order, seen, report, tell)
    Object.assign(report, { asked: seen.asked, signed: seen.signed })
    end = await examine(order, seen, report, tell)
    await keepBought(order, report)
    if (end.outcome === 'bought' && order.journal !== null) {
      report.sale = await findSale(order.journal, report.receipt!.attestationId)
      tell({ step: 'sale', sale: report.sale })
    }
  } catch (error) {
    if (!(error instanceof PurchaseEnd)) throw error
    end = await withChainsWord(error, order, seen)
  }
  Object.assign(report, { asked: seen.asked, signed: seen.signed, attempts: seen.attempts })
  endReport(report, end)
  if (end.outcome !== 'bought') report.answer ??= seen.answer?.json ?? seen.answer?.text ?? null
  if (report.resumeFile !== null && end.outcome !== 'unknown') {
    if (REFUSED.has(end.outcome)) await keepRefused(order.home, report.resumeFile)
    else {
      if (end.outcome === 'unreachable') await forgetSpent(report.resumeFile)
      await forgetPayment(report.resumeFile)
    }
    report.resumeFile = null
  }
  tell({ step: 'end', report })
  return report
}

function reportOf({ url, how }: Order): Report {
  if (how.kind === 'resume')
    return newReport({ url, paidWith: 'payment', wallet: 'payment signed before', resumeFile: how.file })
  const { name, account } = how.wallet
  return newReport({ url, paidWith: 'payment', wallet: name, buyer: account.address })
}

async function keepBought({ keep }: Order, report: Report): Promise<void> {
  try {
    await keep(report)
  } catch (error) {
    const why = messageOf(error)
    throw new PurchaseEnd('unknown', `the answer came, and cannot be kept: ${why}`)
  }
}

async function forgetSpent(waitingFile: string): Promise<void> {
  const { spentFile } = await readPayment(waitingFile)
  if (spentFile !== null) await removeFile(spentFile)
}

async function pay(order: Order, seen: Exchanged, report: Report, tell: Tell): Promise<void> {
  const { how, url, sku, headers, home } = order
  const options = {
    deadlineMs: performance.now() + order.timeoutMs,
    tell,
    keep: async (signed: SignedView, paymentSignature: string) => {
      if (how.kind === 'sign') {
        const spentFile = await how.purse.reserve(signed.nonce, BigInt(signed.valueAtomic))
        report.resumeFile = await keepPayment(home.waitingDir, signed.nonce, {
          url,
          headers,
          paymentSignature,
          from: signed.from,
          signedAt: new Date().toISOString(),
          spentFile,
        }).catch(async (error) => {
          await removeFile(spentFile) //  it is not sent
          throw error
        })
      }
      tell({ step: 'signed', signed, resumed: how.kind === 'resume' })
    },
  }
  if (how.kind === 'resume') return await resumePayment(how.payment, options, seen)
  const room = await how.purse.room()
  if (room.micro === 0n) throw new PurchaseEnd('refused', `${room.limit} is reached; nothing was asked`)
  await payForAnswer(url, { ...options, sku, headers, wallet: how.wallet, room }, seen)
}

/** Settlement, chain, answer and receipt of a 200. Fills the report. */
async function examine(
  order: Order,
  seen: Exchanged,
  report: Report,
  tell: Tell,
): Promise<Pick<Report, 'outcome' | 'message'>> {
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

  const receipt = await readReceipt(order.url, answer, order.home, {
    signed,
    settlement,
    merchant: originOf(seen.asked?.resource ?? ''),
  })
  if (typeof receipt === 'string') return { outcome: 'unverified', message: receipt }
  report.receipt = receipt
  tell({ step: 'receipt', receipt })
  if (!receipt.valid) return { outcome: 'unverified', message: describeFailed(receipt.checks) }
  if (report.chain?.status === 'wrong')
    return { outcome: 'unverified', message: `the chain disagrees: ${report.chain.why}` }
  return { outcome: 'bought', message: null }
}

/**
 * When a signed payment ended without an answer, the token knows better than the service: a payment that the service
 * calls refused and that is used on chain has an unknown outcome.
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
