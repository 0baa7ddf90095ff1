import type { Address } from 'viem'
import type { Clock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import { payerText, signedBy } from '../classic/payerSignature.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { outageReply, problemReply, retryAfterOf } from '../http/respond.ts'
import { type Claim, type ClaimTerms, formerTransferKey, transferKey } from '../ledger/ledger.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { NAMED_MAX_BYTES } from '../settlement/namedBytes.ts'
import type { PaymentChain, TokenTransfer } from '../settlement/port.ts'
import { deliveredReply } from './answer.ts'
import { isCheapLook } from './cheapLook.ts'
import { creditToOf } from './creditTo.ts'
import { deliverClaim } from './deliver.ts'
import { draftOf } from './draftOf.ts'
import { fewAtOnce } from './fewAtOnce.ts'
import { fewEach } from './fewEach.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type Asked, type Call, readAsked, readInput } from './input.ts'
import type { IntentIds, LegacyIntent } from './intentId.ts'
import { type LegacyProof, readProof } from './legacyProof.ts'
import {
  CLOCK_SLACK_MS,
  LATE_GRACE_MS,
  LEGACY_INTENT_MS,
  OBJECTION_MS,
  UNSIGNED_FOR_MS,
} from './legacyTimes.ts'
import { mayBeOfWallet, proveBySigning } from './payerProof.ts'
import { isRefund } from './refundMark.ts'
import type { Sold, X402Ports } from './sale.ts'

export type LegacyPorts = X402Ports & { intentClock: Clock }

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

const objectionMs = (good: Good<unknown>): number => OBJECTION_MS[isCheapLook(good) ? 'cheap' : 'other']
/** How many wallets of one transaction are asked whether they signed. */
const WALLETS_ASKED = 4
/** A request that names a transaction has proven nothing, and pays for nothing. */
const asked = fewAtOnce(32, 'transfers')
/** A wallet may take any time to say whether it signed: requests that name a transaction must not wait for it. */
const askedWallets = fewAtOnce(8, 'wallets')
/** How many transfers of one transaction are noted as shown when none of them pays. */
const SHOWN_TOO = 16
/** Any wait but 0, which would say that the sender has signed; nobody waits for it. */
const UNSIGNED = 1

/**
 * The legacy path (spec 5.2): a mined USDC transfer, proven by its hash, claimed once for one request: immediately if
 * its sender has signed for this intent, else after nobody else has claimed it for a while (decision 011).
 */
export async function sellByTransfer(
  header: string,
  call: Call,
  sold: Sold & { intents: IntentIds },
  ports: LegacyPorts,
): Promise<Reply> {
  const proof = readProof(header)
  if (isProblem(proof)) return problemReply(proof)
  try {
    const shown = await lookUp(proof, call, sold, ports)
    if (isProblem(shown)) return problemReply(shown)
    const proven = await provenOf(shown)
    for (const transfer of proven.transfers) {
      const claim = await claimOf(transfer, proven, shown)
      if (claim === null) continue
      if (isProblem(claim)) return problemReply(claim)
      const answer = await deliverClaim(claim, null, ports)
      if (isRefund(answer.body) && !proven.isSigned)
        return problemReply({ problem: 'refund_unproven', ...proven.prove })
      return deliveredReply(answer)
    }
    return problemReply({ problem: 'bound_elsewhere' })
  } catch (error) {
    return outageReply(error)
  }
}

/** What a request shows: transfers that pay its intent, and the question that they are to buy. */
type Shown = {
  proof: LegacyProof
  call: Call
  sold: Sold
  ports: LegacyPorts
  question: Asked
  receivers: readonly string[] // ours: the current one, and the one when the intent was issued
  payTo: string //                the latter
  paying: readonly TokenTransfer[]
  said: { fingerprint: string; paymentHash: string }
  formerFingerprint: string //    at the current price, as claims were bound formerly
}

/** Reads intent, question and transaction. Transfers to us that buy nothing here are noted as shown all the same. */
async function lookUp(
  proof: LegacyProof,
  call: Call,
  sold: Sold & { intents: IntentIds },
  ports: LegacyPorts,
): Promise<Shown | Problem> {
  const { good, offer } = sold
  const question = readAsked(call)
  const paymentHash = sha256Hex(`${proof.intentId}\n${proof.txHash}`)
  const token = offer.asset.toLowerCase() as Address
  const transfers = await asked(() => ports.chain.transfers(token, proof.txHash, NAMED_MAX_BYTES))
  if (transfers === null) return { problem: 'payment_not_found', retryAfterS: 3 }

  const moved = transfers === 'reverted' ? [] : transfers
  const intent = sold.intents.read(proof.intentId, receiversOf(moved))
  if (intent === null || isProblem(question)) {
    await showToo(moved, [offer.payTo], paymentHash, ports)
    return isProblem(question) ? question : { problem: 'intent_invalid' }
  }
  const payTo = intent.payTo || offer.payTo
  const receivers = [offer.payTo, payTo]
  const paying = moved.filter((transfer) => pays(transfer, intent, payTo, call.agentId))
  const untilMs = intent.issuedMs + LEGACY_INTENT_MS + LATE_GRACE_MS
  if (paying.every(({ blockMs }) => blockMs > untilMs)) {
    await showToo(moved, receivers, paymentHash, ports)
    return { problem: paying.length === 0 ? 'transfer_mismatch' : 'intent_expired' }
  }
  //  at the quoted price, whatever the price is now: what was paid stays paid (decision 003)
  const quoted = { amount: intent.amountMicroUsdc.toString(), asset: offer.asset, payTo }
  const said = { fingerprint: fingerprintOf(good.path, question, good.sku, quoted), paymentHash }
  const formerFingerprint = fingerprintOf(good.path, question, good.sku, offer)
  return { proof, call, sold, ports, question, receivers, payTo, paying, said, formerFingerprint }
}

/** Those transfers that may buy: the signed ones, or all of them, once nobody has objected for a while. */
type Proven = {
  transfers: readonly TokenTransfer[]
  isSigned: boolean
  waitMs: number
  prove: Pick<Problem, 'extra' | 'detail'> // what an unproven payer is told to do
}

async function provenOf({ proof, call, sold, ports, receivers, paying, said }: Shown): Promise<Proven> {
  const { payerSignature } = call
  //  counts as shown even if the wallet cannot be asked now
  if (payerSignature !== '') await showToo(paying, receivers, said.paymentHash, ports)
  const text = payerText(proof.intentId, proof.txHash)
  const signed = await signedOnes(paying, text, payerSignature, ports.chain)
  const isSigned = signed.length > 0
  const detail = 'The signature is not by a wallet that sent it, so it does not count.'
  return {
    transfers: isSigned ? signed : paying,
    isSigned,
    waitMs: isSigned ? 0 : objectionMs(sold.good),
    prove: {
      extra: proveBySigning(text),
      ...(payerSignature !== '' && !isSigned && { detail }),
    },
  }
}

/** The claim of a transfer for this request, made now if there is none. @returns null: another request has it. */
async function claimOf(
  transfer: TokenTransfer,
  { waitMs, prove }: Proven,
  shown: Shown,
): Promise<Claim | Problem | null> {
  const { ports, said, formerFingerprint } = shown
  const { ledger, chainId } = ports
  const key = transferKey(chainId, transfer.tx, transfer.logIndex)
  const known =
    (await ledger.find(key)) ??
    (await ledger.find(formerTransferKey(chainId, transfer.tx, transfer.blockIndex)))
  if (known !== null) {
    const isSame = known.fingerprint === said.fingerprint || known.fingerprint === formerFingerprint
    return isSame && known.paymentHash === said.paymentHash ? known : null
  }
  //  first of all: it counts as shown even if this request cannot be answered now, or asks badly
  const standing = await ledger.showTransfer(key, said, transfer, chainId, waitMs)
  if (standing === 'taken' || standing === 'bound') return null
  const isOld = ports.clock.nowMs() - transfer.blockMs > UNSIGNED_FOR_MS
  if (waitMs > 0 && isOld) return undecided('contended', prove)
  if (isUndecided(standing)) return undecided(standing, prove)
  const terms = await termsOf(transfer, shown)
  if (isProblem(terms)) return onceSent(terms)
  const outcome = await ledger.claimTransfer(key, terms, transfer, chainId, waitMs)
  if (outcome === 'taken' || outcome === 'bound') return null
  return isUndecided(outcome) ? undecided(outcome, prove) : await ledger.find(key)
}

const KEPT = 'What you sent is kept; send no more. Repeat the request with the same X-PAYMENT'
const KEPT_NEXT = { again: `${KEPT} after Retry-After.`, corrected: `${KEPT}, corrected.` }

/** Whoever is told that nothing was charged sends another transfer, and this one has moved already (I5). */
function onceSent(refusal: Problem): Problem {
  const next = KEPT_NEXT[retryAfterOf(refusal) === null ? 'corrected' : 'again']
  return { ...refusal, extra: { ...refusal.extra, next } }
}

async function termsOf(
  transfer: TokenTransfer,
  { call, sold: { good, offer }, ports, question, payTo, said }: Shown,
): Promise<ClaimTerms | Problem> {
  const input = readInput(good, question)
  const draft = isProblem(input)
    ? input
    : await fewEach(transfer.tx, good, input.input, () => draftOf(good, input.input, ports.goods))
  if (isProblem(draft)) return draft
  const creditTo = await creditToOf(good, call, transfer.from, ports)
  if (isProblem(creditTo)) return creditTo
  return {
    ...said,
    sku: good.sku,
    path: good.path,
    purchasePath: 'legacy',
    via: 'transfer',
    network: offer.network,
    asset: offer.asset,
    payTo,
    payer: transfer.from,
    amountMicroUsdc: transfer.value,
    snapshotVersion: draft.snapshotVersion,
    creditTo,
    draft: JSON.stringify(draft),
  }
}

/** The receivers of a transaction: one of them may have been ours when its intent was issued. */
const receiversOf = (transfers: readonly TokenTransfer[]): string[] =>
  [...new Set(transfers.map(({ to }) => to))].slice(0, SHOWN_TOO)

/**
 * Notes transfers to us as shown although they do not pay the caller's intent: wrong amount, too early, too late, from
 * another account than named, with an intent of another path or none of ours, or with an unreadable question. The
 * caller has to turn to the operator; nobody else can have the money meanwhile with an intent that happens to fit
 * (decision 011).
 */
async function showToo(
  transfers: readonly TokenTransfer[],
  receivers: readonly string[],
  paymentHash: string,
  { ledger, chainId }: LegacyPorts,
): Promise<void> {
  const arrived = transfers.filter((transfer) => receivers.some((payTo) => isOurs(transfer, payTo)))
  for (const transfer of arrived.slice(0, SHOWN_TOO)) {
    const key = transferKey(chainId, transfer.tx, transfer.logIndex)
    await ledger.showTransfer(key, { fingerprint: '', paymentHash }, transfer, chainId, UNSIGNED)
  }
}

const isUndecided = (shown: string | number): shown is 'contended' | number =>
  shown === 'contended' || typeof shown === 'number'

const undecided = (shown: 'contended' | number, prove: Proven['prove']): Problem =>
  shown === 'contended'
    ? { problem: 'payer_unproven', ...prove }
    : { problem: 'payer_unproven_yet', retryAfterS: Math.ceil(shown / SECOND), ...prove }

/** The transfers whose sender signed the text: with its key, or, for a wallet with code, by the wallet's own word. */
async function signedOnes(
  transfers: readonly TokenTransfer[],
  text: string,
  signature: string,
  chain: Pick<PaymentChain, 'isSignedByWallet'>,
): Promise<readonly TokenTransfer[]> {
  if (!mayBeOfWallet(signature)) return []
  const signer = await signedBy(text, signature)
  const byKey = transfers.filter(({ from }) => from === signer)
  if (byKey.length > 0) return byKey
  for (const wallet of [...new Set(transfers.map(({ from }) => from))].slice(0, WALLETS_ASKED))
    if (await askedWallets(() => chain.isSignedByWallet(wallet, text, signature)))
      return transfers.filter(({ from }) => from === wallet)
  return []
}

/** Exact amount to us, after the intent, not an x402 settlement; and from the account the buyer names, if any. */
export function pays(transfer: TokenTransfer, intent: LegacyIntent, payTo: string, agentId: string): boolean {
  return (
    isOurs(transfer, payTo) &&
    transfer.blockMs >= intent.issuedMs - CLOCK_SLACK_MS &&
    transfer.value === intent.amountMicroUsdc &&
    (!EVM_ADDRESS.test(agentId) || transfer.from === agentId.toLowerCase())
  )
}

const isOurs = ({ to, byAuthorization }: TokenTransfer, payTo: string): boolean =>
  to === payTo.toLowerCase() && !byAuthorization
