import type { Address } from 'viem'
import { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { parseStrictJson } from '../../ops/strictJson.ts'
import { SECOND } from '../../ops/units.ts'
import { payerText, signerOf } from '../classic/payerSignature.ts'
import { tokenKindOf } from '../entitlements/issue.ts'
import { isProblem, type Problem, type ProblemCode } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import { type ClaimTerms, formerTransferKey, transferKey } from '../ledger/ledger.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import type { PaymentChain, TokenTransfer } from '../settlement/port.ts'
import { deliveredReply } from './answer.ts'
import { creditToOf } from './creditTo.ts'
import { deliverClaim } from './deliver.ts'
import { draftOf } from './draftOf.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type Call, readAsked, readInput } from './input.ts'
import type { IntentIds, LegacyIntent } from './intentId.ts'
import { CLOCK_SLACK_MS, LATE_GRACE_MS, LEGACY_INTENT_MS, OBJECTION_MS } from './legacyTimes.ts'
import { proveBySigning } from './payerProof.ts'
import type { Sold, X402Ports } from './x402.ts'

export type LegacyPorts = X402Ports & { chain: PaymentChain }

const Proof = z.strictObject({
  intentId: z.string().max(128),
  txHash: z.string().regex(/^(0[xX])?[0-9a-fA-F]{64}$/),
  paymentRail: z.literal('usdc_base'),
})

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

const objectionMs = (good: Good<unknown>): number =>
  OBJECTION_MS[tokenKindOf(good) === null ? 'read' : 'token']

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
  const signature = call.payerSignature
  const proof = readProof(header)
  if (isProblem(proof)) return problemReply(proof)
  const intent = sold.intents.read(proof.intentId)
  if (intent === null) return problemReply({ problem: 'intent_invalid' })
  const asked = readAsked(call)
  if (isProblem(asked)) return problemReply(asked)
  const fingerprint = fingerprintOf(good.path, asked, good.sku, offer)
  const paymentHash = sha256Hex(`${proof.intentId}\n${proof.txHash}`)

  try {
    const transfers = await ports.chain.transfers(offer.asset.toLowerCase() as Address, proof.txHash)
    if (transfers === null) return problemReply({ problem: 'payment_not_found', retryAfterS: 3 })
    const paying =
      transfers === 'reverted'
        ? []
        : transfers.filter((transfer) => pays(transfer, intent, offer.payTo, call.agentId))
    if (paying.length === 0) return problemReply({ problem: 'transfer_mismatch' })
    if (paying.every((transfer) => transfer.blockMs > intent.issuedMs + LEGACY_INTENT_MS + LATE_GRACE_MS))
      return problemReply({ problem: 'intent_expired' })

    const prove = proveBySigning(payerText(proof.intentId, proof.txHash))
    const signer = signature === '' ? null : await signerOf(proof.intentId, proof.txHash, signature)
    const theirs = signature === '' ? paying : paying.filter(({ from }) => from === signer)
    if (theirs.length === 0) return problemReply({ problem: 'payer_unproven', extra: prove })

    for (const transfer of theirs) {
      const key = transferKey(ports.chainId, transfer.tx, transfer.logIndex)
      const former = formerTransferKey(ports.chainId, transfer.tx, transfer.blockIndex)
      const known = (await ports.ledger.find(key)) ?? (await ports.ledger.find(former))
      if (known !== null && (known.fingerprint !== fingerprint || known.paymentHash !== paymentHash)) continue
      if (known === null) {
        const input = readInput(good, asked)
        const draft = isProblem(input) ? input : await draftOf(good, input.input, ports.goods)
        if (isProblem(draft)) return problemReply(draft)
        const creditTo = await creditToOf(good, call, transfer.from, ports)
        if (isProblem(creditTo)) return problemReply(creditTo)
        const terms: ClaimTerms = {
          fingerprint,
          paymentHash,
          sku: good.sku,
          path: good.path,
          purchasePath: 'legacy',
          via: 'transfer',
          network: offer.network,
          asset: offer.asset,
          payTo: offer.payTo,
          payer: transfer.from,
          amountMicroUsdc: transfer.value,
          snapshotVersion: draft.snapshotVersion,
          creditTo,
          draft: JSON.stringify(draft),
        }
        const waitMs = signature === '' ? objectionMs(good) : 0
        const outcome = await ports.ledger.claimTransfer(key, terms, transfer, ports.chainId, waitMs)
        if (outcome === 'contended') return problemReply({ problem: 'payer_unproven', extra: prove })
        if (typeof outcome === 'number')
          return problemReply({
            problem: 'payer_unproven_yet',
            retryAfterS: Math.ceil(outcome / SECOND),
            extra: prove,
          })
        if (outcome === 'taken' || outcome === 'bound') continue
      }
      const claim = known ?? (await ports.ledger.find(key))
      if (claim !== null) return deliveredReply(await deliverClaim(claim, null, ports))
    }
    return problemReply({ problem: 'bound_elsewhere' })
  } catch (error) {
    if (error instanceof UnavailableError) return problemReply({ problem: error.code as ProblemCode })
    throw error
  }
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
    transfer.to === payTo.toLowerCase() &&
    transfer.value === intent.amountMicroUsdc &&
    !transfer.byAuthorization &&
    transfer.blockMs >= intent.issuedMs - CLOCK_SLACK_MS &&
    (!EVM_ADDRESS.test(agentId) || transfer.from === agentId.toLowerCase())
  )
}
