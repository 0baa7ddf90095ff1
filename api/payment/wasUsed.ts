import type { Payment, PaymentChain } from '../settlement/port.ts'
import { fewAtOnce } from './fewAtOnce.ts'

const asked = fewAtOnce(32, 'payments whose time is over')

/**
 * Whether a payment whose window is over was used, although no claim knows it: claims are forgotten with their answers, and
 * who pays again because he was told that nothing was charged pays twice (I5). Asked only for who signed these terms: a key
 * is proven already, a wallet gives its word, and for others nothing more is asked.
 * @throws UnavailableError when the chain does not say: it is not known then.
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
