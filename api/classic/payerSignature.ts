import { createPublicKey, verify } from 'node:crypto'
import { base58 } from '@scure/base'
import { type Hex, recoverMessageAddress } from 'viem'
import { spelling } from './attribute.ts'

/** What the sender of a transfer signs to say which intent it was for: by EIP-191, on Solana its very bytes by ed25519. */
export const payerText = (intentId: string, tx: string): string => `intent ${intentId} paid by ${tx}`

/** Which of a transaction's senders signed it, as its chain's wallets sign; null when none did. */
export async function senderSigning(
  chain: string,
  senders: readonly (string | null)[],
  { intentId, tx, signature }: { intentId: string; tx: string; signature: string },
): Promise<string | null> {
  if (chain === 'bitcoin' || signature === '') return null //  its wallets have no one way to sign that all can
  const text = payerText(intentId, tx)
  if (chain === 'solana')
    return (
      [...new Set(senders)].find((sender) => sender !== null && isSolana(text, signature, sender)) ?? null
    )
  const signer = await signedBy(text, signature)
  return senders.find((sender) => sender !== null && spelling(sender) === signer) ?? null
}

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
