import type { Address, Hex } from 'viem'
import { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { parseStrictJson } from '../../ops/strictJson.ts'
import { SECOND } from '../../ops/units.ts'
import { payerText, signedBy } from '../classic/payerSignature.ts'
import { isProblem, type Problem, type ProblemCode } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import { type ClaimTerms, formerTransferKey, transferKey } from '../ledger/ledger.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { NAMED_MAX_BYTES } from '../settlement/namedBytes.ts'
import type { PaymentChain, TokenTransfer } from '../settlement/port.ts'
import { deliveredReply } from './answer.ts'
import { isCheapLook } from './cheapLook.ts'
import { creditToOf } from './creditTo.ts'
import { deliverClaim } from './deliver.ts'
import { draftOf } from './draftOf.ts'
import { fewAtOnce } from './fewAtOnce.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type Call, readAsked, readInput } from './input.ts'
import type { IntentIds, LegacyIntent } from './intentId.ts'
import {
  CLOCK_SLACK_MS,
  LATE_GRACE_MS,
  LEGACY_INTENT_MS,
  OBJECTION_MS,
  UNSIGNED_FOR_MS,
} from './legacyTimes.ts'
import { proveBySigning } from './payerProof.ts'
import { isRefund } from './refundMark.ts'
import type { Sold, X402Ports } from './sale.ts'

export type LegacyPorts = X402Ports & { chain: PaymentChain }

const Proof = z.strictObject({
  intentId: z.string().max(128),
  txHash: z.string().regex(/^(0[xX])?[0-9a-fA-F]{64}$/),
  paymentRail: z.literal('usdc_base'),
})

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

const objectionMs = (good: Good<unknown>): number => OBJECTION_MS[isCheapLook(good) ? 'cheap' : 'other']
/** So many wallets of one transaction are asked whether they signed. */
const WALLETS_ASKED = 4
/** Who names a transaction has proven nothing, and pays for nothing. */
const asked = fewAtOnce(32, 'transfers')
/** A wallet takes as long to say whether it signed as it likes: nobody waits for that who names a transaction. */
const askedWallets = fewAtOnce(8, 'wallets')
/** So many transfers of one transaction count as shown where none of them pays. */
const SHOWN_TOO = 16
/** Any time but none, which would say that the sender has signed; nobody waits for it. */
const UNSIGNED = 1

/**
 * The legacy path (spec 5.2): a mined USDC transfer, proven by its hash, claimed once for one request. At once when its sender
 * has signed for this intent, else when nobody else has claimed it for a while (decision 011).
 */
export async function sellByTransfer(
  header: string,
  call: Call,
  sold: Sold & { intents: IntentIds },
  ports: LegacyPorts,
): Promise<Reply> {
  const { good, offer } = sold
  const proof = readProof(header)
  if (isProblem(proof)) return problemReply(proof)
  const question = readAsked(call)
  const paymentHash = sha256Hex(`${proof.intentId}\n${proof.txHash}`)

  try {
    const token = offer.asset.toLowerCase() as Address
    const transfers = await asked(() => ports.chain.transfers(token, proof.txHash, NAMED_MAX_BYTES))
    if (transfers === null) return problemReply({ problem: 'payment_not_found', retryAfterS: 3 })
    const moved = transfers === 'reverted' ? [] : transfers
    const intent = sold.intents.read(proof.intentId, receiversOf(moved))
    if (intent === null || isProblem(question)) {
      await showToo(moved, [offer.payTo], paymentHash, ports)
      return problemReply(isProblem(question) ? question : { problem: 'intent_invalid' })
    }
    const receivers = [offer.payTo, intent.payTo || offer.payTo]
    const payTo = receivers[1]!
    const paying = moved.filter((transfer) => pays(transfer, intent, payTo, call.agentId))
    if (paying.every((transfer) => transfer.blockMs > intent.issuedMs + LEGACY_INTENT_MS + LATE_GRACE_MS)) {
      await showToo(moved, receivers, paymentHash, ports)
      return problemReply({ problem: paying.length === 0 ? 'transfer_mismatch' : 'intent_expired' })
    }
    //  as it was quoted, whatever is asked for by now: what was paid stays paid (decision 003)
    const quoted = { amount: intent.amountMicroUsdc.toString(), asset: offer.asset, payTo }
    const fingerprint = fingerprintOf(good.path, question, good.sku, quoted)
    const former = fingerprintOf(good.path, question, good.sku, offer)
    const said = { fingerprint, paymentHash }

    //  a wallet that cannot be asked now has shown it all the same
    if (call.payerSignature !== '') await showToo(paying, receivers, paymentHash, ports)
    const text = payerText(proof.intentId, proof.txHash)
    const signed = await signedOnes(paying, text, call.payerSignature, ports.chain)
    const waitMs = signed.length === 0 ? objectionMs(good) : 0
    const prove = {
      extra: proveBySigning(text),
      ...(call.payerSignature !== '' &&
        signed.length === 0 && { detail: 'The signature is of no wallet that sent it: it counts as none.' }),
    }

    for (const transfer of signed.length === 0 ? paying : signed) {
      const key = transferKey(ports.chainId, transfer.tx, transfer.logIndex)
      const formerKey = formerTransferKey(ports.chainId, transfer.tx, transfer.blockIndex)
      const known = (await ports.ledger.find(key)) ?? (await ports.ledger.find(formerKey))
      const isSame = known?.fingerprint === fingerprint || known?.fingerprint === former
      if (known !== null && !(isSame && known.paymentHash === paymentHash)) continue
      if (known === null) {
        //  first of all: who cannot be answered now, or asks badly, has shown it all the same
        const shown = await ports.ledger.showTransfer(key, said, transfer, ports.chainId, waitMs)
        if (shown === 'taken' || shown === 'bound') continue
        const isOld = ports.clock.nowMs() - transfer.blockMs > UNSIGNED_FOR_MS
        if (waitMs > 0 && isOld) return undecided('contended', prove)
        if (isUndecided(shown)) return undecided(shown, prove)
        const input = readInput(good, question)
        const draft = isProblem(input) ? input : await draftOf(good, input.input, ports.goods)
        if (isProblem(draft)) return problemReply(draft)
        const creditTo = await creditToOf(good, call, transfer.from, ports)
        if (isProblem(creditTo)) return problemReply(creditTo)
        const terms: ClaimTerms = {
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
        const outcome = await ports.ledger.claimTransfer(key, terms, transfer, ports.chainId, waitMs)
        if (outcome === 'taken' || outcome === 'bound') continue
        if (isUndecided(outcome)) return undecided(outcome, prove)
      }
      const claim = known ?? (await ports.ledger.find(key))
      if (claim === null) continue
      const answer = await deliverClaim(claim, null, ports)
      if (isRefund(answer.body) && signed.length === 0)
        return problemReply({ problem: 'refund_unproven', ...prove })
      return deliveredReply(answer)
    }
    return problemReply({ problem: 'bound_elsewhere' })
  } catch (error) {
    if (error instanceof UnavailableError) return problemReply({ problem: error.code as ProblemCode })
    throw error
  }
}

/** Whom a transaction paid: one of them may have received for us when its intent was issued. */
const receiversOf = (transfers: readonly TokenTransfer[]): string[] =>
  [...new Set(transfers.map(({ to }) => to))].slice(0, SHOWN_TOO)

/**
 * Who shows money that does not pay his intent, be it another amount, too early or late or of another account than he named, or with an
 * intent that is of another path or not ours at all, or a question that cannot be read, is sent to
 * who runs this service: nobody else has it meanwhile because an intent of his fits (decision 011).
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

const undecided = (shown: 'contended' | number, prove: Pick<Problem, 'extra' | 'detail'>): Reply =>
  problemReply(
    shown === 'contended'
      ? { problem: 'payer_unproven', ...prove }
      : { problem: 'payer_unproven_yet', retryAfterS: Math.ceil(shown / SECOND), ...prove },
  )

/** Those of the transfers whose sender signed the text: by his key, or as a wallet with code says of itself. */
async function signedOnes(
  transfers: readonly TokenTransfer[],
  text: string,
  signature: string,
  chain: Pick<PaymentChain, 'isSignedByWallet'>,
): Promise<readonly TokenTransfer[]> {
  if (!/^0x(?:[0-9a-f]{2}){1,2048}$/i.test(signature)) return []
  const signer = await signedBy(text, signature)
  const byKey = transfers.filter(({ from }) => from === signer)
  if (byKey.length > 0) return byKey
  for (const wallet of [...new Set(transfers.map(({ from }) => from))].slice(0, WALLETS_ASKED))
    if (await askedWallets(() => chain.isSignedByWallet(wallet, text, signature as Hex)))
      return transfers.filter(({ from }) => from === wallet)
  return []
}

function readProof(header: string): { intentId: string; txHash: `0x${string}` } | Problem {
  if (!header.trimStart().startsWith('{'))
    return {
      problem: 'unsupported_payment',
      detail:
        'X-PAYMENT holds JSON {intentId, txHash, paymentRail}. An x402 payment goes into PAYMENT-SIGNATURE, version 2.',
    }
  let json: unknown
  try {
    json = parseStrictJson(header.slice(0, 4_096), 2)
  } catch {
    return { problem: 'malformed_payment', detail: 'X-PAYMENT is not strict JSON.' }
  }
  const proof = Proof.safeParse(json)
  if (!proof.success)
    return {
      problem: 'malformed_payment',
      detail: `X-PAYMENT: wrong ${proof.error.issues[0]?.path.join('.') || 'shape'}.`,
    }
  return { intentId: proof.data.intentId, txHash: `0x${proof.data.txHash.slice(-64).toLowerCase()}` }
}

/** Exact amount to us, after the intent, not an x402 settlement; and by the buyer, where the buyer names an account. */
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
