import { type Hex, recoverMessageAddress } from 'viem'

/** What the sender of a transfer signs (EIP-191) to say which intent it was for. */
export const payerText = (intentId: string, tx: string): string => `intent ${intentId} paid by ${tx}`

/** Who signed it, in lower case; null when nobody did. */
export const signerOf = (intentId: string, tx: string, signature: string): Promise<string | null> =>
  signedBy(payerText(intentId, tx), signature)

/** Who signed a text by EIP-191, in lower case; null when nobody did. */
export async function signedBy(message: string, signature: string): Promise<string | null> {
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) return null
  try {
    const signer = await recoverMessageAddress({ message, signature: signature as Hex })
    return signer.toLowerCase()
  } catch {
    return null
  }
}
