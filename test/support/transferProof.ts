import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { payerText } from '../../api/classic/payerSignature.ts'

/** The header of the legacy path, as one shows it who proves nothing. */
export const shownTransfer = (intentId: string, txHash: string) => ({
  'x-payment': JSON.stringify({ intentId, txHash, paymentRail: 'usdc_base' }),
})

/** The same with the word of the wallet that sent it: answered at once. */
export async function transferProof(sender: { privateKey: Hex }, intentId: string, txHash: string) {
  const message = payerText(intentId, txHash)
  const signature = await privateKeyToAccount(sender.privateKey).signMessage({ message })
  return { ...shownTransfer(intentId, txHash), 'x-service-payer-signature': signature }
}
