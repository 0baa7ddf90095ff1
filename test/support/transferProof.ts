import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { payerText } from '../../api/classic/payerSignature.ts'
import { createIntentIds } from '../../api/payment/intentId.ts'

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

/**
 * An intent of a service over this amount. The 402s draw amounts: until one of them fits takes a thousand.
 * @param payTo '' as until 2026-11-23, when an intent did not say whom it pays.
 */
export async function intentOver(
  { dir }: { dir: string },
  path: string,
  amountMicroUsdc: bigint,
  { issuedMs = Date.now(), payTo = '' } = {},
): Promise<string> {
  return createIntentIds(await readFile(join(dir, 'secret')), path, payTo).issue({
    issuedMs,
    amountMicroUsdc,
  })
}
