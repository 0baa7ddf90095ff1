import { randomBytes } from 'node:crypto'
import { recoverTypedDataAddress } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { parsePayment } from '../../../api/payment/payload.ts'
import { createPaymentSigner, type PaymentTerms } from './payments.ts'

const terms: PaymentTerms = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '1000',
  maxTimeoutSeconds: 300,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x00000000000000000000000000000000000000EE',
  extra: { name: 'USD Coin', version: '2' },
}

describe('payments signed in bulk are payments', () => {
  test('the service reads them, and a wallet library recovers the payer from them', async () => {
    const key = randomBytes(32)
    const sign = createPaymentSigner(key, terms, { url: 'http://x' })
    const read = parsePayment(sign(1_000))
    if ('refusal' in read) throw new Error(read.why)
    const { authorization, signature } = read
    expect(authorization).toMatchObject({ value: 1_000n, validAfter: 0n, validBefore: 1_300n })
    const signer = await recoverTypedDataAddress({
      domain: { ...terms.extra, chainId: 8453, verifyingContract: terms.asset as `0x${string}` },
      primaryType: 'TransferWithAuthorization',
      types: {
        TransferWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      message: authorization,
      signature: signature as `0x${string}`,
    })
    expect(signer).toBe(privateKeyToAddress(`0x${key.toString('hex')}`))
    expect(authorization.from).toBe(signer.toLowerCase())
  })

  test('no two are the same payment', () => {
    const sign = createPaymentSigner(randomBytes(32), terms, null)
    expect(new Set(Array.from({ length: 50 }, () => sign(1))).size).toBe(50)
  })
})
