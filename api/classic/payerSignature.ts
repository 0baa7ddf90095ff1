import { createPublicKey, verify } from 'node:crypto'
import { base58 } from '@scure/base'
import { type Hex, recoverMessageAddress } from 'viem'
import { spelling } from './attribute.ts'

/**
 * What the sender of a transfer signs to name the intent it pays: by EIP-191; on Solana the plain bytes, by ed25519.
 */
export const payerText = (intentId: string, tx: string): string => `intent ${intentId} paid by ${tx}`

/** The sender of the transaction that signed the text, in the way of its chain's wallets; null when none did. */
export async function senderSigning(
  chain: string,
  senders: readonly (string | null)[],
  { intentId, tx, signature }: { intentId: string; tx: string; signature: string },
): Promise<string | null> {
  if (chain === 'bitcoin' || signature === '') return null //  its wallets share no way to sign
  const text = payerText(intentId, tx)
  if (chain === 'solana')
    return (
      [...new Set(senders)].find((sender) => sender !== null && isSolana(text, signature, sender)) ?? null
    )
  const signer = await signedBy(text, signature)
  return senders.find((sender) => sender !== null && spelling(sender) === signer) ?? null
}

/** The EIP-191 signer of a text, in lower case; null when the signature is invalid. */
export async function signedBy(message: string, signature: string): Promise<string | null> {
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) return null
  try {
    const signer = await recoverMessageAddress({ message, signature: signature as Hex })
    return signer.toLowerCase()
  } catch {
    return null
  }
}

/** Whether a Solana account signed a text: its address is its key. */
function isSolana(text: string, signature: string, account: string): boolean {
  try {
    const x = Buffer.from(base58.decode(account)).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, Buffer.from(text), key, base58.decode(signature))
  } catch {
    return false
  }
}
