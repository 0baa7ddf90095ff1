import type { Address } from 'viem'
import { isReserved, isWrapped, unwrap } from './erc6492.ts'
import type { Authorization, Classified, SignatureRefusal } from './port.ts'
import { recoverAddress } from './recover.ts'
import { type EcdsaSignature, readSignature } from './signature.ts'
import { type TokenDomain, transferDigest } from './typedData.ts'

/**
 * Who must confirm this signature. Pure, about 0.08 ms for an ordinary one.
 *
 * `ecdsa` means that the key of `from` signed exactly these terms for exactly this domain; the signature
 * comes back in the token's canonical form. Everything else is left to the simulation on chain: a deployed
 * wallet (`contract`, bytes as sent) or one that its factory would deploy (`undeployed`, wrapper as sent).
 * A plain signature by a wrong key or for a wrong domain (SIG-10) thus counts as `contract`, and the token
 * then refuses it, since only the chain can tell that there is no wallet at `from`.
 * @param factories lower-case; only these may deploy a wallet, and one that would come from another is `unlisted`.
 */
export function classify(
  authorization: Authorization,
  signatureHex: string,
  { domain, factories }: { domain: TokenDomain; factories: ReadonlySet<Address> },
): Classified | { refusal: SignatureRefusal } {
  const read = readSignature(signatureHex)
  if ('refusal' in read) return { refusal: 'bad_signature' }
  if (isReserved(authorization.from)) return { refusal: 'wallet_not_supported' }
  const { hex, ecdsa } = read
  if (isSignedBy(authorization, ecdsa, domain)) return { signer: 'ecdsa', signature: ecdsa.hex }
  if (!isWrapped(hex)) return { signer: 'contract', signature: hex }

  const deployment = unwrap(hex)
  if (deployment === null) return { refusal: 'bad_signature' }
  //  A key that wraps its own plain signature needs no wallet: it would only make us pay for a deployment.
  const inner = readSignature(deployment.inner)
  if ('ecdsa' in inner && isSignedBy(authorization, inner.ecdsa, domain))
    return { signer: 'ecdsa', signature: inner.ecdsa.hex }
  const wallet = { signer: 'undeployed', signature: hex } as const
  return factories.has(deployment.factory) ? wallet : { ...wallet, unlisted: true }
}

function isSignedBy(
  authorization: Authorization,
  signature: EcdsaSignature | null,
  domain: TokenDomain,
): signature is EcdsaSignature {
  return (
    signature !== null &&
    recoverAddress(transferDigest(authorization, domain), signature) === authorization.from
  )
}
