import { decodeAbiParameters, type Hex } from 'viem'
import type { ChainRefusal } from './port.ts'

/** What Circle's FiatTokenV2_2 says, folded into our closed set; no text begins another, so the order is free. */
const SAID: readonly (readonly [string, ChainRefusal])[] = [
  ['ERC20: transfer amount exceeds balance', 'insufficient_funds'],
  ['FiatTokenV2: invalid signature', 'bad_signature'],
  ['ECRecover: invalid signature', 'bad_signature'],
  ['FiatTokenV2: authorization is used or canceled', 'nonce_used'],
  ['FiatTokenV2: authorization is expired', 'expired'],
  ['FiatTokenV2: authorization is not yet valid', 'not_yet_valid'],
  ['Blacklistable: account is blacklisted', 'blocked_party'],
  ['Pausable: paused', 'token_paused'],
]

/** Selector of Solidity's Error(string). */
const ERROR = '0x08c379a0'

/**
 * The token's reason. `null` when the call gave none (out of gas, a wallet that reverts silently): then the
 * call says nothing definite and the caller must not read a reason into it.
 * @param data what the reverted call returned.
 */
export function readRevert(data: Hex): ChainRefusal | null {
  if (data === '0x') return null
  const text = errorText(data)
  return SAID.find(([beginning]) => text.startsWith(beginning))?.[1] ?? 'transfer_failed'
}

function errorText(data: Hex): string {
  if (!data.startsWith(ERROR)) return '' //  a custom error or a panic
  try {
    return decodeAbiParameters([{ type: 'string' }], `0x${data.slice(ERROR.length)}`)[0]
  } catch {
    return ''
  }
}
