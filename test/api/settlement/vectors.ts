import { type Address, getAddress, type Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Authorization } from '../../../api/settlement/port.ts'
import { type DomainTerms, tokenDomain } from '../../../api/settlement/typedData.ts'

/** Order of secp256k1. */
export const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export const USDC: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
export const TERMS: DomainTerms = { chainId: 8453, asset: USDC, name: 'USD Coin', version: '2' }
export const DOMAIN = tokenDomain(TERMS)
export const FACTORY: Address = `0x${'fa'.repeat(20)}`

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** The same message as viem and every stock client sees it. */
export const typedDataOf = (message: Authorization, terms: DomainTerms = TERMS) => ({
  domain: {
    name: terms.name,
    version: terms.version,
    chainId: terms.chainId,
    verifyingContract: getAddress(terms.asset),
  },
  types,
  primaryType: 'TransferWithAuthorization' as const,
  message: { ...message, from: getAddress(message.from), to: getAddress(message.to) },
})

export const lower = (address: string): Address => address.toLowerCase() as Address
export const account = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())
export const nonce = (): Hex => generatePrivateKey()
export const word = (value: bigint): string => value.toString(16).padStart(64, '0')
export const signatureOf = (r: bigint, s: bigint, v: number): Hex =>
  `0x${word(r)}${word(s)}${v.toString(16).padStart(2, '0')}`

export const authorization = (over: Partial<Authorization> = {}): Authorization => ({
  from: `0x${'0a'.repeat(20)}`,
  to: `0x${'0b'.repeat(20)}`,
  value: 10_000n,
  validAfter: 0n,
  validBefore: 2_000_000_000n,
  nonce: nonce(),
  ...over,
})
