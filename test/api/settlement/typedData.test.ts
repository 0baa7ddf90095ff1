import fc from 'fast-check'
import { domainSeparator, hashTypedData, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { tokenDomain, transferDigest } from '../../../api/settlement/typedData.ts'
import { authorization, DOMAIN, lower, TERMS, typedDataOf } from './vectors.ts'

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((value) => toHex(value))
const anyAuthorization = fc.record({
  from: bytes(20),
  to: bytes(20),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  validAfter: fc.bigInt({ min: 0n, max: 2n ** 64n }),
  validBefore: fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 40n }), fc.constant(2n ** 256n - 1n)),
  nonce: bytes(32),
})

describe('x402-v2 2.1: the digest of TransferWithAuthorization', () => {
  test('is the one that viem computes, for any terms', () => {
    fc.assert(
      fc.property(anyAuthorization, (one) => {
        expect(toHex(transferDigest(one, DOMAIN))).toBe(hashTypedData(typedDataOf(one)))
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['Base', TERMS],
    ['Base Sepolia, whose token is named differently', { ...TERMS, chainId: 84532, name: 'USDC' }],
    ['another contract', { ...TERMS, asset: lower(`0x${'36'.repeat(20)}`) }],
    ['a later version', { ...TERMS, version: '3' }],
  ])('the domain separator of %s is that of viem', (_, terms) => {
    const { domain } = typedDataOf(authorization(), terms)
    expect(toHex(tokenDomain(terms).separator)).toBe(domainSeparator({ domain }))
  })

  test('one call leaves nothing behind for the next', () => {
    const small = authorization({ value: 1n })
    const before = toHex(transferDigest(small, DOMAIN))
    transferDigest(authorization({ value: 2n ** 256n - 1n, validBefore: 2n ** 200n }), DOMAIN)
    expect(toHex(transferDigest(small, DOMAIN))).toBe(before)
  })

  test.each([
    ['a short address', { from: '0x0b' as const }],
    ['an address with a letter that is not hex', { to: lower(`0x${'0b'.repeat(19)}zz`) }],
    ['a short nonce', { nonce: '0x01' as const }],
    ['a negative value', { value: -1n }],
    ['a value above 2^256 - 1', { value: 2n ** 256n }],
  ])('a broken promise of the caller is an assertion: %s', (_, over) => {
    expect(() => transferDigest(authorization(over), DOMAIN)).toThrow(/assumption broken/)
  })
})
