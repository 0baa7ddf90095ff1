import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { payerText } from '../../api/classic/payerSignature.ts'
import { createIntentIds } from '../../api/payment/intentId.ts'

/** The header of the legacy path from a caller who does not prove who sent the transfer. */
export const shownTransfer = (intentId: string, txHash: string) => ({
  'x-payment': JSON.stringify({ intentId, txHash, paymentRail: 'usdc_base' }),
})

/** The same with the signature of the wallet that sent it, so it is answered at once. */
export async function transferProof(sender: { privateKey: Hex }, intentId: string, txHash: string) {
  const message = payerText(intentId, txHash)
  const signature = await privateKeyToAccount(sender.privateKey).signMessage({ message })
  return { ...shownTransfer(intentId, txHash), 'x-service-payer-signature': signature }
}

/**
 * Issues an intent of a service over this amount. Its 402s draw amounts at random: a given one takes about a thousand.
 * @param payTo '' for an intent as issued until 2026-11-23, which did not name its receiver.
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
