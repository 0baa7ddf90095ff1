import { type Address, type Hex, toEventSelector, toFunctionSelector } from 'viem'
import type { Authorization } from './port.ts'

const TERMS = 'address,address,uint256,uint256,uint256,bytes32'
const TRANSFER_VRS = toFunctionSelector(`transferWithAuthorization(${TERMS},uint8,bytes32,bytes32)`)
const TRANSFER_BYTES = toFunctionSelector(`transferWithAuthorization(${TERMS},bytes)`)
const PLAIN_TRANSFER = toFunctionSelector('transfer(address,uint256)')
const AUTHORIZATION_STATE = toFunctionSelector('authorizationState(address,bytes32)')
export const NAME = toFunctionSelector('name()')
export const VERSION = toFunctionSelector('version()')
export const DOMAIN_SEPARATOR = toFunctionSelector('DOMAIN_SEPARATOR()')

/** First topics of the token's logs. */
export const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
export const AUTHORIZATION_USED = toEventSelector('AuthorizationUsed(address,bytes32)')
export const AUTHORIZATION_CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)')

/**
 * Call data of the token, by string concatenation: a batch encodes hundreds per block, and a word is only a
 * padded text. The test compares each with viem's encoder.
 */
export const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
export const addressWord = (address: Address): string => address.slice(2).padStart(64, '0')
export const addressTopic = (address: Address): Hex => `0x${addressWord(address)}`

/** Bytes as ABI puts them in a tail: length, then the bytes padded to whole words. */
export function bytesTail(hex: Hex): string {
  const digits = hex.slice(2)
  return word(digits.length / 2) + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
}

function termWords({ from, to, value, validAfter, validBefore, nonce }: Authorization): string {
  return (
    addressWord(from) + addressWord(to) + word(value) + word(validAfter) + word(validBefore) + nonce.slice(2)
  )
}

/** The overload for a canonical 65-byte signature: 9 words and no tail. */
export function transferByKey(authorization: Authorization, signature: Hex): Hex {
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130, 132)]
  return `${TRANSFER_VRS}${termWords(authorization)}${v.padStart(64, '0')}${r}${s}`
}

/** The overload that hands any signature bytes to the wallet at `from`. */
export function transferByWallet(authorization: Authorization, signature: Hex): Hex {
  return `${TRANSFER_BYTES}${termWords(authorization)}${word(7 * 32)}${bytesTail(signature)}`
}

/** A plain transfer of the caller's own tokens. */
export function transfer(to: Address, value: bigint): Hex {
  return `${PLAIN_TRANSFER}${addressWord(to)}${word(value)}`
}

export function authorizationState(from: Address, nonce: Hex): Hex {
  return `${AUTHORIZATION_STATE}${addressWord(from)}${nonce.slice(2)}`
}
