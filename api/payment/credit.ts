import { randomUUID } from 'node:crypto'
import { UnavailableError } from '../../ops/errors.ts'
import { accountDigest, accountOf, creditAuthDigest, isCreditSecret } from '../entitlements/credit.ts'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import { isProblem, type ProblemCode } from '../errors.ts'
import type { GoodPorts } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import type { CreditHolder } from '../ledger/credits.ts'
import type { ClaimKey, ClaimTerms } from '../ledger/ledger.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { deliveredReply } from './answer.ts'
import { type DeliverPorts, deliverClaim } from './deliver.ts'
import { draftOf } from './draftOf.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type Call, readAsked, readInput } from './input.ts'
import type { Sold } from './x402.ts'

export type CreditPorts = DeliverPorts & { goods: GoodPorts; clock: { nowMs(): number } }

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/

/**
 * One GET paid with store credit: agent id and secret, on the first spend the claim code too. Answer first, then debit
 * and claim in one step, then as every claim: delivered once, recovered by the worker. With an Idempotency-Key the same
 * request again within a day gives the same answer and costs nothing.
 */
export async function sellByCredit(call: Call, sold: Sold, ports: CreditPorts): Promise<Reply> {
  const { good } = sold
  const refuse = (code: ProblemCode) => {
    if (code === 'credit_refused' || code === 'credit_auth_mismatch') call.wrongSecret()
    return sold.challenge(code, ports.clock.nowMs())
  }
  if (good.creditMicroUsdc !== undefined) return refuse('credit_not_covering')
  const holder = holderOf(call, ports.answers.secret)
  if (holder === null) return refuse('credit_refused')
  const { idempotencyKey } = call
  if (idempotencyKey !== '' && !IDEMPOTENCY_KEY.test(idempotencyKey))
    return problemReply({
      problem: 'malformed_request',
      detail: 'Idempotency-Key: 1 to 64 visible ASCII characters.',
    })
  const asked = readAsked(call)
  if (isProblem(asked)) return problemReply(asked)
  const input = readInput(good, asked)
  if (isProblem(input)) return problemReply(input)
  try {
    const opened = await openLot(call.claimCode, holder, ports)
    if (opened !== null) return refuse(opened)
    const standing = await ports.credits.balance(holder)
    if (standing === null) return refuse('credit_refused')

    const operation = idempotencyKey === '' ? randomUUID() : `${holder.account}|${idempotencyKey}`
    const key: ClaimKey = `credit:${sha256Hex(operation)}`
    const fingerprint = fingerprintOf(good.path, asked, good.sku, sold.offer)
    const known = await ports.ledger.find(key)
    if (known === null) {
      if (standing.balanceMicro - standing.heldMicro < good.priceMicroUsdc) return refuse('credit_short')
      const draft = await draftOf(good, input.input, ports.goods)
      if (isProblem(draft)) return problemReply(draft)
      const terms = termsOf(sold, holder, fingerprint, JSON.stringify(draft), draft.snapshotVersion)
      const { outcome } = await ports.credits.claim(key, terms, holder)
      if (outcome === 'refused') return refuse('credit_refused')
      if (outcome === 'short') return refuse('credit_short')
    }
    const claim = known ?? (await ports.ledger.find(key))
    if (claim === null || claim.fingerprint !== fingerprint)
      return problemReply({ problem: 'bound_elsewhere' })
    ports.faultPoint('CP8')
    return deliveredReply(await deliverClaim(claim, null, ports))
  } catch (error) {
    if (error instanceof UnavailableError) return problemReply({ problem: error.code as ProblemCode })
    throw error
  }
}

function holderOf({ agentId, creditAuth }: Call, secret: Buffer): CreditHolder | null {
  const account = accountOf(agentId)
  if (account === null || !isCreditSecret(creditAuth)) return null
  return { account: accountDigest(account), auth: creditAuthDigest(secret, account, creditAuth) }
}

/** Puts bought credit onto the holder's account where the request shows its claim code. @returns why not, or null. */
async function openLot(
  claimCode: string,
  holder: CreditHolder,
  { credits }: CreditPorts,
): Promise<'credit_refused' | 'credit_auth_mismatch' | null> {
  if (claimCode === '') return null
  if (!isToken(claimCode, 'credit')) return 'credit_refused'
  const opened = await credits.openLot(digestOfToken(claimCode), holder)
  if (opened === 'opened') return null
  return opened === 'mismatch' ? 'credit_auth_mismatch' : 'credit_refused'
}

const termsOf = (
  { good, offer }: Sold,
  holder: CreditHolder,
  fingerprint: string,
  draft: string,
  snapshotVersion: number | null,
): ClaimTerms => ({
  fingerprint,
  paymentHash: holder.account,
  sku: good.sku,
  path: good.path,
  purchasePath: 'credit',
  via: 'credit',
  network: 'store-credit',
  asset: offer.asset,
  payTo: offer.payTo,
  payer: `account:${holder.account.slice(0, 32)}`,
  amountMicroUsdc: good.priceMicroUsdc,
  snapshotVersion,
  creditTo: null,
  draft,
})
