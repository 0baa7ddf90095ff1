import type { Problem } from '../../errors.ts'
import type { ClaimKey, Ledger } from '../../ledger/ledger.ts'
import { attestationIdOf } from '../../receipts/attestation.ts'
import type { NamedPurchase, PaymentIds } from './paymentIds.ts'

export type SecondPorts = {
  paymentIds: PaymentIds
  ledger: Pick<Ledger, 'find'>
  answers: { secret: Buffer; publicUrl: string }
}

/**
 * Why a payment whose id was used before is not settled: its buyer signed again for what is already paid, or used the
 * id for another request. Tells which payment to send again for the answer; sending that costs nothing.
 * @param purchase null: the payment has no id.
 */
export async function refuseSecond(
  step: keyof PaymentIds,
  purchase: NamedPurchase | null,
  { paymentIds, ledger, answers }: SecondPorts,
): Promise<Problem | null> {
  if (purchase === null) return null
  const held = await paymentIds[step](purchase)
  if (held.outcome === 'free') return null
  const first = await ledger.find(held.key)
  const isDelivered = first !== null && first.answer !== null
  return {
    problem: held.outcome === 'paid' ? 'already_paid' : 'payment_id_bound',
    extra: {
      paidBy: {
        nonce: nonceOf(held.key),
        state: first?.state ?? 'settling',
        path: first?.path ?? null,
        transaction: first?.settled?.tx ?? null,
        receipt: isDelivered
          ? `${answers.publicUrl}/receipts/${attestationIdOf(answers.secret, held.key)}`
          : null,
      },
    },
  }
}

const nonceOf = (key: ClaimKey): string => key.slice(key.lastIndexOf(':') + 1)
