import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Arguments } from './arguments.ts'
import { type Bought, keepReceipt, narrator } from './buying.ts'
import type { Shell } from './command.ts'
import type { Answer } from './exchange.ts'
import type { Home } from './kept/home.ts'
import {
  Balance,
  type CreditKey,
  creditKeyOf,
  creditKeys,
  forgetToken,
  goodPasses,
  keepToken,
  type PassToken,
} from './kept/tokens.ts'
import { PurchaseEnd } from './outcomes.ts'
import { describeFailed, readReceipt } from './readReceipt.ts'
import { endReport, newReport, type Report, type Tell } from './report.ts'
import type { Seller } from './seller.ts'
import { spend } from './spend.ts'

type Asked = { url: string; headers: Record<string, string> }

const PassLeft = z.looseObject({ pass: z.looseObject({ callsRemaining: z.int(), expiresAt: z.string() }) })

/** One read under a kept hour pass. Its answer has no receipt: the pass has one. */
export async function readWithPass(
  args: Arguments,
  shell: Shell,
  seller: Seller,
  asked: Asked,
): Promise<Bought> {
  const [pass] = await goodPasses(seller.home, seller.base, Date.now())
  if (pass === undefined)
    throw new PurchaseEnd('used_up', 'no hour pass with calls left is kept here; buy one with ./ops/buy pass')
  const headers = { ...asked.headers, 'x-service-pass': pass.token }
  const bought = await entitled(
    args,
    shell,
    'pass',
    { ...asked, headers },
    'It may have cost a call.',
    (answer, report) => takePass(answer, report, pass, seller.home),
  )
  if (bought.report.outcome === 'used_up') await forgetToken(seller.home, pass)
  return bought
}

async function takePass(
  { json }: Answer,
  report: Report,
  pass: PassToken,
  home: Home,
): Promise<string | null> {
  const left = PassLeft.safeParse(json).data?.pass
  if (left === undefined) return 'the answer does not say what is left of the pass'
  report.pass = { callsRemaining: left.callsRemaining, expiresAt: left.expiresAt }
  await keepToken(home, { ...pass, ...report.pass })
  return null
}

/**
 * One read for kept store credit. With an Idempotency-Key, so that asking again after a lost answer costs nothing.
 * @param agentId '': the only account that is kept.
 */
export async function readWithCredit(
  args: Arguments,
  shell: Shell,
  seller: Seller,
  asked: Asked,
): Promise<Bought> {
  const key = await findCredit(seller, args.agentId)
  const idempotencyKey = args.idempotencyKey || randomUUID()
  const headers = {
    ...asked.headers,
    'x-agent-id': key.agentId,
    'x-service-credit-auth': key.secret,
    'idempotency-key': idempotencyKey,
    ...(key.claimCode === null ? {} : { 'x-service-claim-code': key.claimCode }),
  }
  const again = `Ask again with --credit --idempotency-key ${idempotencyKey}: what was paid is not paid twice.`
  return await entitled(args, shell, 'credit', { ...asked, headers }, again, (answer, report) =>
    takeCredit(answer, report, key, seller),
  )
}

async function findCredit({ home, base }: Seller, agentId: string): Promise<CreditKey> {
  if (agentId !== '') {
    const key = await creditKeyOf(home, base, agentId)
    if (key === null) throw new PurchaseEnd('used_up', `no store credit of ${agentId} is kept here`)
    return key
  }
  const [key, ...others] = await creditKeys(home, base)
  if (key === undefined)
    throw new PurchaseEnd('used_up', 'no store credit is kept here; buy some with ./ops/buy credits 2')
  if (others.length > 0)
    throw new PurchaseEnd('usage', 'store credit of several agent ids is kept here; name one with --agent-id')
  return key
}

async function takeCredit(
  answer: Answer,
  report: Report,
  key: CreditKey,
  { home, rpcUrl, base }: Seller,
): Promise<string | null> {
  const receipt = await readReceipt(report.request.url, answer, home, {
    signed: null,
    settlement: null,
    merchant: null,
  })
  const balanceUsdc = Balance.parse(answer.headers.get('x-service-credit-balance-usdc'))
  const left = { ...key, claimCode: null, balanceUsdc }
  await keepToken(home, { ...left, base })
  report.credit = { account: left.agentId, balanceUsdc: left.balanceUsdc }
  if (typeof receipt === 'string') return receipt
  report.receipt = receipt
  await keepReceipt(home, report, rpcUrl)
  return receipt.valid ? null : describeFailed(receipt.checks)
}

/** What pays instead of a wallet. */
const WALLETS = { pass: 'the kept hour pass', credit: 'kept store credit' } as const

/**
 * @param again what to do, or to know, when the answer stays lost.
 * @param take reads what the answer says about the entitlement into the report; returns what is wrong with it, or null.
 */
async function entitled(
  args: Arguments,
  shell: Shell,
  paidWith: 'pass' | 'credit',
  { url, headers }: Asked,
  again: string,
  take: (answer: Answer, report: Report) => Promise<string | null>,
): Promise<Bought> {
  const tell: Tell = narrator(args, shell)
  const report = newReport({ url, paidWith, wallet: WALLETS[paidWith] })
  tell({ step: 'start', request: report.request })
  const end = (outcome: Report['outcome'], message: string | null): Bought => {
    endReport(report, { outcome, message })
    return { report, token: null }
  }
  try {
    const deadlineMs = performance.now() + args.timeoutMs
    const answer = await spend(url, headers, { deadlineMs, tell, attempts: report.attempts })
    report.answer = answer.json ?? answer.text
    tell({ step: 'received', answer: report.answer })
    const wrong = await take(answer, report)
    if (report.receipt !== null) tell({ step: 'receipt', receipt: report.receipt })
    tell({ step: 'entitled', pass: report.pass, credit: report.credit })
    return end(wrong === null ? 'bought' : 'unverified', wrong)
  } catch (error) {
    if (!(error instanceof PurchaseEnd)) throw error
    return end(error.outcome, error.outcome === 'unknown' ? `${error.message}\n${again}` : error.message)
  } finally {
    tell({ step: 'end', report })
  }
}
