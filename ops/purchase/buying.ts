import { relative } from 'node:path'
import { counted } from '../counted.ts'
import type { Arguments } from './arguments.ts'
import type { Done, Shell } from './command.ts'
import { keepEntitlements } from './kept/entitlements.ts'
import { keepSale } from './kept/sales.ts'
import { limitsOf, openPurse, readLimits } from './kept/spending.ts'
import type { Token } from './kept/tokens.ts'
import { INTERRUPTED } from './outcomes.ts'
import { isFor, type Waiting, waitingPayments } from './pending.ts'
import { type Order, purchase } from './purchase.ts'
import { Envelope } from './readReceipt.ts'
import { withoutSecrets } from './redact.ts'
import { settleRefused } from './refused.ts'
import { createNarrator } from './render.ts'
import type { Report, Step, Tell } from './report.ts'
import type { Seller } from './seller.ts'
import type { Target } from './target.ts'
import { printable } from './terminal.ts'
import type { Wallet } from './wallet.ts'

/** A purchase that is over, and the entitlement it bought. */
export type Bought = { report: Report; token: Token | null }

/** What is bought, from whom and with which wallet. `allowMicro`: a price that the command line itself names. */
export type Wanted = {
  seller: Seller
  wallet: Wallet
  target: Target
  headers: Record<string, string>
  allowMicro?: bigint
}

/**
 * Buys one answer with money, within the limits. A payment for the same request that waits for its outcome is sent again
 * instead of a new one.
 */
export async function buyWithMoney(
  args: Arguments,
  shell: Shell,
  { seller, wallet, target, headers, allowMicro }: Wanted,
): Promise<Bought> {
  const { home } = seller
  for (const { url, signedAt } of await settleRefused(home, seller.rpcUrl, Date.now()))
    shell.warn(
      `The payment of ${signedAt} for ${printable(url)} was refused, and taken on chain all the same; it waits.`,
    )
  const waiting = await waitingPayments(home.waitingDir)
  const mine = waiting.find(isFor(target.url, headers, wallet.account.address))
  if (mine !== undefined)
    shell.warn(
      `A payment of ${mine.payment.signedAt} for this request waits; it is sent again, none is signed.`,
    )
  else if (waiting.length > 0) shell.warn(waitingLine(waiting))
  const given = { ...args.limits, callMicroUsdc: args.limits.callMicroUsdc ?? allowMicro ?? null }
  const limits = limitsOf(await readLimits(home), given)
  const purse = openPurse(home, limits, args.limits.session, Date.now)
  return await place(args, shell, seller, {
    url: target.url,
    sku: target.sku,
    headers,
    how: mine === undefined ? { kind: 'sign', wallet, purse } : { kind: 'resume', ...mine },
  })
}

/** Goes on with a payment that was signed before. Signs nothing. */
export const resume = (args: Arguments, shell: Shell, seller: Seller, waiting: Waiting): Promise<Bought> =>
  place(args, shell, seller, {
    url: waiting.payment.url,
    sku: null,
    headers: waiting.payment.headers,
    how: { kind: 'resume', ...waiting },
  })

async function place(
  args: Arguments,
  shell: Shell,
  { base, home, rpcUrl, journal }: Seller,
  order: Pick<Order, 'url' | 'sku' | 'headers' | 'how'>,
): Promise<Bought> {
  let signed = order.how.kind === 'resume'
  shell.atInterrupt = () =>
    signed
      ? {
          outcome: 'unknown',
          message: `A payment that was sent waits in ${home.waitingDir}; the same command again goes on with it.`,
        }
      : INTERRUPTED
  const narrate = narrator(args, shell)
  const tell: Tell = (step) => {
    signed ||= step.step === 'signed'
    narrate(step)
  }
  let token: Token | null = null
  const keep = async (report: Report) => {
    const result = Envelope.safeParse(report.answer).data?.result
    if (result === undefined) return
    await keepReceipt(home, report, rpcUrl)
    const agentId = order.headers['x-agent-id'] ?? report.signed?.from.toLowerCase() ?? ''
    token = await keepEntitlements(home, base, result, agentId)
  }
  const report = await purchase({ ...order, home, rpcUrl, journal, keep, timeoutMs: args.timeoutMs }, tell)
  shell.atInterrupt = () => INTERRUPTED
  return { report, token }
}

/** Keeps the receipt of a paid answer, with the answer. */
export async function keepReceipt(home: Order['home'], report: Report, rpcUrl: string | null): Promise<void> {
  if (report.receipt === null) return
  const { attestation, checks: _ } = report.receipt
  const { payload } = attestation
  await keepSale(home, {
    label: 'purchase.v1',
    at: new Date().toISOString(),
    url: report.request.url,
    sku: typeof payload.sku === 'string' ? payload.sku : null,
    paidWith: report.paidWith === 'credit' ? 'credit' : 'payment',
    amountUsdc: report.signed?.valueUsdc ?? (typeof payload.amount === 'string' ? payload.amount : null),
    transaction: report.settlement?.transaction ?? null,
    rpcUrl,
    attestation,
    answer: report.answer,
  })
}

/** Shows a purchase step by step, and on the terminal's last line what it waits for. With --json only the latter. */
export function narrator(args: Pick<Arguments, 'json' | 'showSecrets'>, shell: Shell): Tell {
  const show = args.json ? () => {} : createNarrator(shell.write, shell.paint, shell.columns)
  return (step: Step) => {
    shell.progress.stop()
    show(args.showSecrets ? step : withoutSecrets(step))
    const waitsFor = WAITS_FOR[step.step]
    if (waitsFor !== undefined) shell.progress.start(waitsFor)
  }
}

/** What is waited for after a step, where that takes time. */
const WAITS_FOR: Partial<Record<Step['step'], string>> = {
  start: 'asking',
  signed: 'waiting for settlement',
  again: 'waiting to ask again',
  settled: 'looking at the chain',
  received: 'verifying the receipt',
  receipt: 'looking for the row in ClickHouse',
}

/** The end of the command: the report, without secrets unless they were asked for. */
export function endOfPurchase({ report }: Bought, { showSecrets }: Pick<Arguments, 'showSecrets'>): Done {
  const { outcome, message } = report
  return { outcome, message, data: showSecrets ? report : withoutSecrets(report), text: '' }
}

const waitingLine = (waiting: readonly Waiting[]): string =>
  `${counted(waiting.length, 'other payment')} whose outcome is unknown; go on with ` +
  `./ops/buy --resume ${relative('.', waiting[0]!.file)}`
