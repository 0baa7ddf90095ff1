import { SECOND } from '../../ops/units.ts'
import type { Problem } from '../errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { paidAlready } from '../settlement/paidAlready.ts'
import type { Payment, PaymentChain, Settled } from '../settlement/port.ts'
import { fewAtOnce } from './fewAtOnce.ts'
import { isByPayer, mayBeOfWallet, type Proof, proofText, proofWanted } from './payerProof.ts'

/*
 * Anybody may submit an authorization (RPL-13). One that moved without a claim of ours was never bound to a request,
 * and it is public from then on: whoever reads the chain could be the first to ask for anything of its price (decision
 * 011).
 */

/** A wallet may take as long as it likes to say whether it signed. */
const askedWallets = fewAtOnce(8, 'wallets')
/** Each may cost a search through a whole day of logs, and a payer can trigger it with a nonce spent elsewhere. */
const searched = fewAtOnce(4, 'payments whose time is over')

/**
 * Whether a delivered claim of this payment would still be kept, so that none means nothing was delivered: a claim is
 * kept for the lifetime of an answer after its window, by the ledger's own clock.
 */
export async function isKeptStill(
  { authorization }: Payment,
  { ledger, answerTtlMs }: { ledger: Pick<Ledger, 'nowMs'>; answerTtlMs: number },
): Promise<boolean> {
  return (await ledger.nowMs()) < Number(authorization.validBefore) * SECOND + answerTtlMs
}

/** Where a payment past its window has paid us, if it did so within the lifetime of an answer. */
export const paidLate = (
  payment: Payment,
  chain: Pick<PaymentChain, 'isSigned' | 'fate'>,
  sinceMs: number,
): Promise<Settled | null> => searched(() => paidAlready(payment, chain, sinceMs))

/**
 * Why a payment that moved without us buys nothing for this caller: the caller has not signed as its payer. A payment
 * that was claimed after all, by this request or another, is decided by the claim.
 */
export async function refuseUnproven(
  payment: Payment,
  proof: Proof,
  isClaimed: () => Promise<boolean>,
  chain: Pick<PaymentChain, 'isSignedByWallet'>,
): Promise<Problem | null> {
  if (await isByPayer(proof)) return null
  const { signature } = proof
  const isOfWallet =
    payment.signer !== 'ecdsa' &&
    mayBeOfWallet(signature) &&
    (await askedWallets(() =>
      chain.isSignedByWallet(payment.authorization.from, proofText(proof), signature),
    ))
  if (isOfWallet || (await isClaimed())) return null
  return {
    problem: 'payer_unproven',
    detail: 'This authorization was submitted by somebody other than us, so anybody can read it now.',
    extra: proofWanted(proof),
  }
}
