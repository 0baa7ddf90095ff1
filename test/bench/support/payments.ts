import { randomBytes } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import secp256k1 from 'secp256k1'

/** The terms of an offer that a payment signs, and what it must repeat. */
export type PaymentTerms = {
  scheme: string
  network: string
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: { name: string; version: string }
}

/** Keys of wallets that nobody has funded, hex. Any 32 random bytes are a valid key, except once in 2^128. */
export const randomKeys = (count: number): string[] =>
  Array.from({ length: count }, () => randomBytes(32).toString('hex'))

const keccak = (...parts: Uint8Array[]): Uint8Array => keccak_256(Buffer.concat(parts))
const text = (value: string): Uint8Array => keccak(Buffer.from(value))
const DOMAIN_TYPE = text('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')
const TRANSFER_TYPE = text(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
)
const numberWord = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
const addressWord = (address: string): Buffer => Buffer.from(address.slice(2).padStart(64, '0'), 'hex')

/**
 * Signs many payments quickly, as the stock client would sign each: random nonce, validAfter 0, validBefore
 * after the offer's timeout. About 0.15 ms each, where a wallet library needs 2 ms.
 * @returns a function that makes one more PAYMENT-SIGNATURE header.
 */
export function createPaymentSigner(
  key: Uint8Array,
  terms: PaymentTerms,
  resource: unknown,
): (nowS: number) => string {
  const publicKey = secp256k1.publicKeyCreate(key, false)
  const from = `0x${Buffer.from(keccak(publicKey.subarray(1)).subarray(12)).toString('hex')}`
  const chainId = BigInt(terms.network.slice('eip155:'.length))
  const separator = keccak(
    ...[DOMAIN_TYPE, text(terms.extra.name), text(terms.extra.version)],
    ...[numberWord(chainId), addressWord(terms.asset)],
  )
  const constant = Buffer.concat([
    TRANSFER_TYPE,
    addressWord(from),
    addressWord(terms.payTo),
    numberWord(BigInt(terms.amount)),
    numberWord(0n),
  ])
  return (nowS) => {
    const nonce = randomBytes(32)
    const validBefore = nowS + terms.maxTimeoutSeconds
    const struct = keccak(constant, numberWord(BigInt(validBefore)), nonce)
    const { signature, recid } = secp256k1.ecdsaSign(
      keccak(Buffer.from([0x19, 0x01]), separator, struct),
      key,
    )
    const payload = {
      x402Version: 2,
      payload: {
        authorization: {
          from,
          to: terms.payTo,
          value: terms.amount,
          validAfter: '0',
          validBefore: String(validBefore),
          nonce: `0x${nonce.toString('hex')}`,
        },
        signature: `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`,
      },
      resource,
      accepted: terms,
    }
    return Buffer.from(JSON.stringify(payload)).toString('base64')
  }
}
