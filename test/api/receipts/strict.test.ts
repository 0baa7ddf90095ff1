import { createHash, createPublicKey } from 'node:crypto'
import * as ed from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttestationPayload } from '../../../api/receipts/attestation.ts'
import { publishedKey, receiptKeyFromPem } from '../../../api/receipts/key.ts'
import { keyRing } from '../../../api/receipts/keyRing.ts'
import { signatureHolds, signedBytes, signPayload } from '../../../api/receipts/signature.ts'
import { newKey, pemOfSeed, publicPemOf, refuse, ringOf } from './keys.ts'

ed.hashes.sha512 = sha512
const { Point } = ed
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const FIELD = 2n ** 255n - 19n
const little = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
const readLittle = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
const mod = (value: bigint): bigint => ((value % ORDER) + ORDER) % ORDER

function pointAt(y: bigint): ed.Point | null {
  try {
    return Point.fromBytes(new Uint8Array(little(y)), false)
  } catch {
    return null
  }
}

/** A point of order 8: any point, without its component in the subgroup of prime order. */
const torsion = (() => {
  for (let y = 2n; y < 100n; y++) {
    const point = pointAt(y)
    const rest = point?.multiplyUnsafe(ORDER - 1n).add(point)
    if (rest !== undefined && !rest.double().double().is0()) return rest
  }
  throw new Error('no point of order 8 found')
})()
const smallOrder = Array.from({ length: 8 }, (_, n) => {
  let point = Point.ZERO
  for (let i = 0; i < n; i++) point = point.add(torsion)
  return point
})

const key = newKey()
const ring = ringOf(key)
const { scalar, pointBytes } = ed.utils.getExtendedPublicKey(
  new Uint8Array(Buffer.from(key.privateKey.export({ format: 'jwk' }).d!, 'base64url')),
)
const payload = { format: 'service-receipt-v1', keyId: key.keyId, sku: 'S' } as unknown as AttestationPayload
const message = signedBytes('service-receipt-v1', payload)
const challengeOf = (r: Uint8Array): bigint =>
  mod(readLittle(createHash('sha512').update(r).update(pointBytes).update(message).digest()))
/** What the holder of the key could sign with this R, in this encoding: the equation of the scheme holds. */
const craft = (nonce: bigint, r: Uint8Array): Buffer =>
  Buffer.concat([r, little(mod(nonce + challengeOf(r) * scalar))])
const holds = (signature: Uint8Array) =>
  signatureHolds(ring, payload, Buffer.from(signature).toString('base64'))
const holdsElsewhere = (signature: Uint8Array, zip215: boolean) =>
  ed.verify(new Uint8Array(signature), new Uint8Array(message), pointBytes, { zip215 })

describe('RCP-04 signatures are checked strictly (RFC 8032 without the leniency of ZIP 215)', () => {
  const good = Buffer.from(signPayload(key, payload), 'base64')
  const [r, s] = [good.subarray(0, 32), readLittle(good.subarray(32))]

  test('the crafting of this test is right: with an ordinary R it makes good signatures', () => {
    const nonce = 123_456_789n
    expect(holds(craft(nonce, Point.BASE.multiply(nonce).toBytes()))).toBe(true)
  })

  test.each([1n, 2n, 3n, 7n, 15n])('S + %d times the order of the group', (times) => {
    const raised = s + times * ORDER
    expect(raised < 2n ** 256n).toBe(true)
    expect(holds(Buffer.concat([r, little(raised)]))).toBe(false)
  })

  test.each([
    ['0', 0n],
    ['the order', ORDER],
    ['its own negative', ORDER - s],
    ['2^256 - 1', 2n ** 256n - 1n],
  ])('S = %s', (_, other) => {
    expect(holds(Buffer.concat([r, little(other)]))).toBe(false)
  })

  test('R of another spelling: the neutral point as y = p + 1, with and without the sign bit', () => {
    for (const spelled of [
      little(FIELD + 1n),
      little((FIELD + 1n) | (1n << 255n)),
      little(1n | (1n << 255n)),
    ]) {
      const signature = craft(0n, spelled)
      expect(holds(signature)).toBe(false)
      expect(holdsElsewhere(signature, false)).toBe(false)
    }
    expect(holdsElsewhere(craft(0n, little(FIELD + 1n)), true)).toBe(true) //  the lenient rule takes it
  })

  test('R with a part of small order: good for who multiplies by the cofactor, not here', () => {
    const nonce = 42n
    for (const part of smallOrder.slice(1)) {
      const signature = craft(nonce, Point.BASE.multiply(nonce).add(part).toBytes())
      expect(holdsElsewhere(signature, true)).toBe(true)
      expect(holds(signature)).toBe(false)
    }
  })

  test('whatever we accept another strict verifier accepts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 511 }), fc.boolean(), (bit, flips) => {
        const changed = Buffer.from(good)
        if (flips) changed[bit >> 3]! ^= 1 << (bit & 7)
        expect(holds(changed)).toBe(!flips)
        if (!flips) expect(holdsElsewhere(changed, false)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  test('63 and 65 bytes, hex, base64url, blanks, no padding: not a signature', () => {
    const text = good.toString('base64')
    const others = [good.subarray(0, 63), Buffer.concat([good, Buffer.alloc(1)])]
    for (const bytes of others) expect(holds(bytes)).toBe(false)
    for (const spelled of [
      good.toString('hex'),
      `${text}\n`,
      ` ${text}`,
      text.replace(/=+$/, ''),
      `${text}=`,
    ])
      expect(signatureHolds(ring, payload, spelled)).toBe(false)
  })
})

describe('RCP-04, RCP-11 no weak key is published or signs', () => {
  const read = (pem: string) => publishedKey(createPublicKey(pem), refuse)

  test('the points of small order, all eight', () => {
    for (const point of smallOrder) expect(() => read(publicPemOf(point.toBytes()))).toThrow(/weak/)
  })

  test('a good key with a part of small order', () => {
    const mixed = Point.BASE.multiply(99n).add(torsion)
    expect(() => read(publicPemOf(mixed.toBytes()))).toThrow(/weak/)
    expect(read(publicPemOf(Point.BASE.multiply(99n).toBytes())).keyId).toMatch(/^[0-9a-f]{16}$/)
  })

  test.each([
    ['y = p', FIELD],
    ['y = p + 1', FIELD + 1n],
    ['y = 2^255 - 1', 2n ** 255n - 1n],
  ])('another spelling: %s', (_, y) => {
    expect(() => read(publicPemOf(little(y)))).toThrow(/weak/)
  })

  test.each([
    ['RFC 8032, test 1', '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'],
    ['RFC 8032, test 2', '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'],
    ['RFC 8032, test 3', 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7'],
    ['RFC 8032, test 1024', 'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5'],
    ['RFC 8032, test SHA(abc)', '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42'],
    ['32 zero bytes', '00'.repeat(32)],
  ])('a key that everybody knows: %s', (_, seed) => {
    expect(() => receiptKeyFromPem(pemOfSeed(Buffer.from(seed, 'hex')), refuse)).toThrow(/published test key/)
  })

  test('a PEM that is cut is refused', () => {
    const pem = pemOfSeed(Buffer.alloc(32, 9))
    expect(() => receiptKeyFromPem(pem.replace(/.{8}\n-/, '\n-'), refuse)).toThrow(/not a PEM/)
    expect(() => keyRing(key, publicPemOf(Buffer.alloc(31)), refuse)).toThrow(/cannot be read/)
  })
})
