import type { Address } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import { ethCall } from './nodeReads.ts'
import type { Rpc } from './rpc.ts'
import { addressWord } from './tokenCalls.ts'

/**
 * Creation code that deploys nothing: it replaces each 32-byte address appended to it by the size of the code
 * there and returns them. No deployed contract offers this, and one eth_getCode per payer is too many.
 *
 *     n = codesize - 36; codecopy(0, 36, n)
 *     for (i = 0; i < n; i += 32) mstore(i, extcodesize(mload(i)))
 *     return(0, n)
 */
const SIZES = '0x6024380380602460003960005b81811015601f5780513b8152602001600c565b506000f3'

/** What a creation may return is bounded to 24,576 bytes. */
export const MAX_CODE_SIZES = 768

/**
 * Whether there is code at each address now. Also true for a key's own account that delegates to code
 * (EIP-7702): the token then asks that code instead of recovering the key (SIG-07).
 * @param addresses at most MAX_CODE_SIZES.
 */
export async function haveCode(rpc: Rpc, addresses: readonly Address[]): Promise<boolean[]> {
  const answer = await ethCall(rpc, { data: `${SIZES}${addresses.map(addressWord).join('')}` })
  const digits = answer.slice(2)
  if (digits.length !== addresses.length * 64)
    throw new UnavailableError('chain_unavailable', 'code sizes: the answer has another length')
  return addresses.map((_, index) => /[^0]/.test(digits.slice(index * 64, index * 64 + 64)))
}
