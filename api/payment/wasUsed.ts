import type { Payment, PaymentChain } from '../settlement/port.ts'
import { fewAtOnce } from './fewAtOnce.ts'

const asked = fewAtOnce(32, 'payments whose time is over')

/**
 * Whether a payment past its window was used although no claim knows it: claims are forgotten with their answers, and a
 * buyer who is told that nothing was charged pays twice (I5). Asked only if the payer signed these terms: a key's
 * signature is proven already, a wallet is asked first; otherwise the nonce is not looked up.
 * @throws UnavailableError when the chain does not say: then it is unknown.
 */
export async function wasUsed(
  payment: Payment,
  chain: Pick<PaymentChain, 'isSigned' | 'isUsed'>,
): Promise<boolean> {
  const { from, nonce } = payment.authorization
  return await asked(
    async () => (await chain.isSigned(payment)) && (await chain.isUsed(payment.asset, from, nonce)),
  )
}
