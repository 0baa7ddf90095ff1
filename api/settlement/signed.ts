import type { Address, Hex } from 'viem'
import { unwrap } from './erc6492.ts'
import { aggregate3 } from './multicall.ts'
import type { Payment } from './port.ts'
import type { Rpc } from './rpc.ts'
import { lastResult, WALLET_GAS } from './simulate.ts'
import { bytesTail, word } from './tokenCalls.ts'
import { type TokenDomain, transferDigest, usdcDomain } from './typedData.ts'

/** Selector of isValidSignature(bytes32,bytes), which is also the first word of a yes. */
const VALID_SIGNATURE = '0x1626ba7e'

/**
 * Whether the payer signed exactly these terms, whatever the nonce is. A simulated transfer cannot tell: the token
 * checks the nonce before the signature, so every payload over a used nonce fails alike.
 * `ecdsa` was recovered by classify(); any other signature is a question to the code at `from`, as the token asks it
 * (yes: a first word of the selector and zeros). Without code there the answer is never yes.
 */
export async function isSigned(rpc: Rpc, payment: Payment): Promise<boolean> {
  if (payment.signer === 'ecdsa') return true
  const signature = payment.signer === 'contract' ? payment.signature : unwrap(payment.signature)?.inner
  if (signature === undefined) return false
  const { chainId, asset, authorization } = payment
  const digest = Buffer.from(transferDigest(authorization, domainOf(chainId, asset))).toString('hex')
  return await isSignedByWallet(rpc, authorization.from, digest, signature)
}

/** Whether the code at `wallet` confirms its signature over a digest (EIP-1271). @param digest hex without 0x. */
export async function isSignedByWallet(
  rpc: Rpc,
  wallet: Address,
  digest: string,
  signature: Hex,
): Promise<boolean> {
  const data: Hex = `${VALID_SIGNATURE}${digest}${word(2 * 32)}${bytesTail(signature)}`
  const call = { target: wallet, allowFailure: true, data }
  const result = await lastResult(rpc, { data: aggregate3([call]), gas: WALLET_GAS, count: 1 })
  return result?.success === true && result.returnData.slice(0, 66) === VALID_SIGNATURE.padEnd(66, '0')
}

let last: TokenDomain | null = null
function domainOf(chainId: number, asset: Address): TokenDomain {
  if (last?.chainId !== chainId || last.asset !== asset) last = usdcDomain(chainId, asset)
  return last
}
