import fc from 'fast-check'
import { type Hex, recoverAddress as recoverByViem, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { recoverAddress } from '../../../api/settlement/recover.ts'
import { MAX_SIGNATURE_BYTES, readSignature } from '../../../api/settlement/signature.ts'
import { account, authorization, lower, N, nonce, signatureOf, typedDataOf } from './vectors.ts'

const half = N / 2n
const ecdsaOf = (hex: string) => {
  const read = readSignature(hex)
  return 'refusal' in read ? read.refusal : (read.ecdsa?.hex ?? null)
}
const digest = (fill: number) => new Uint8Array(32).fill(fill)

describe('SIG-02: which characters are a signature', () => {
  test.each([
    ['', 'malformed_signature'],
    ['0x', 'malformed_signature'],
    ['0x0', 'malformed_signature'], //                 odd
    [signatureOf(1n, 1n, 27).slice(2), 'malformed_signature'], //  no 0x
    [`0X${'11'.repeat(65)}`, 'malformed_signature'],
    [`0x${'11'.repeat(64)}1g`, 'malformed_signature'],
    [`0x${'11'.repeat(64)} 1`, 'malformed_signature'],
    [`0x${'11'.repeat(MAX_SIGNATURE_BYTES + 1)}`, 'signature_too_large'],
  ])('%.12s…: %s', (text, refusal) => {
    expect(readSignature(text)).toEqual({ refusal })
  })

  test('the longest one passes, and so do upper-case digits', () => {
    expect(readSignature(`0x${'AB'.repeat(MAX_SIGNATURE_BYTES)}`)).toEqual({
      hex: `0x${'ab'.repeat(MAX_SIGNATURE_BYTES)}`,
      ecdsa: null,
    })
  })

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `0x${text}`),
        ),
        (text) => {
          const read = readSignature(text)
          expect('refusal' in read || read.hex === text.toLowerCase()).toBe(true)
        },
      ),
    )
  })
})

describe('SIG-01, SIG-02, SIG-03: which bytes are an ECDSA signature, and in which one form', () => {
  test.each<[string, Hex, Hex | null]>([
    ['v 27', signatureOf(1n, 1n, 27), signatureOf(1n, 1n, 27)],
    ['v 28', signatureOf(1n, 1n, 28), signatureOf(1n, 1n, 28)],
    ['v 0 means 27', signatureOf(1n, 1n, 0), signatureOf(1n, 1n, 27)],
    ['v 1 means 28', signatureOf(1n, 1n, 1), signatureOf(1n, 1n, 28)],
    ['v 2', signatureOf(1n, 1n, 2), null],
    ['v 26', signatureOf(1n, 1n, 26), null],
    ['v 29', signatureOf(1n, 1n, 29), null],
    ['v 35 (EIP-155)', signatureOf(1n, 1n, 35), null],
    ['v 255', signatureOf(1n, 1n, 255), null],
    ['r 0', signatureOf(0n, 1n, 27), null],
    ['s 0', signatureOf(1n, 0n, 27), null],
    ['r n - 1', signatureOf(N - 1n, 1n, 27), signatureOf(N - 1n, 1n, 27)],
    ['r n', signatureOf(N, 1n, 27), null],
    ['s n', signatureOf(1n, N, 27), null],
    ['all ones', signatureOf(2n ** 256n - 1n, 2n ** 256n - 1n, 255), null],
    ['s n / 2 is the largest low one', signatureOf(1n, half, 27), signatureOf(1n, half, 27)],
    ['s n / 2 + 1 is the smallest high one', signatureOf(1n, half + 1n, 27), signatureOf(1n, half, 28)],
    ['s n - 1 with v 28', signatureOf(1n, N - 1n, 28), signatureOf(1n, 1n, 27)],
    ['s n - 1 with v 0', signatureOf(1n, N - 1n, 0), signatureOf(1n, 1n, 28)],
    ['63 bytes', `0x${'11'.repeat(63)}`, null],
    ['66 bytes', `${signatureOf(1n, 1n, 27)}00`, null],
    ['EIP-2098, even', `0x${signatureOf(1n, 5n, 27).slice(2, 130)}`, signatureOf(1n, 5n, 27)],
    ['EIP-2098, odd', `0x${signatureOf(1n, 2n ** 255n + 5n, 27).slice(2, 130)}`, signatureOf(1n, 5n, 28)],
    ['EIP-2098, s 0', `0x${signatureOf(1n, 2n ** 255n, 27).slice(2, 130)}`, null],
  ])('%s', (_, given, canonical) => {
    expect(ecdsaOf(given)).toBe(canonical)
  })

  test('twins of one signature have one form', async () => {
    const payer = account()
    for (let round = 0; round < 20; round++) {
      const signature = await payer.signTypedData(typedDataOf(authorization({ from: lower(payer.address) })))
      const [r, s, v] = [
        BigInt(signature.slice(0, 66)),
        BigInt(`0x${signature.slice(66, 130)}`),
        Number.parseInt(signature.slice(130), 16),
      ]
      const forms = [
        signatureOf(r, N - s, 55 - v),
        signatureOf(r, s, v - 27),
        signatureOf(r, N - s, 28 - v),
        `0x${signatureOf(r, v === 28 ? s + 2n ** 255n : s, 0).slice(2, 130)}`,
        `0x${signature.slice(2).toUpperCase()}`,
      ]
      expect(new Set(forms.map(ecdsaOf))).toEqual(new Set([signature]))
    }
  })
})

describe('SIG-11: recovery agrees with viem', () => {
  const scalar = fc.oneof(
    fc.bigInt({ min: 1n, max: half }),
    fc.bigInt({ min: 1n, max: 100n }),
    fc.bigInt({ min: half - 2n, max: half }),
  )
  const points = fc.oneof(
    fc.bigInt({ min: 1n, max: N - 1n }),
    fc.bigInt({ min: 1n, max: 40n }),
    fc.constant(N - 1n),
  )

  test('for any r, s, v and digest: the same address, or none by both', async () => {
    await fc.assert(
      fc.asyncProperty(
        points,
        scalar,
        fc.constantFrom(27, 28),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        async (r, s, v, hash) => {
          const read = readSignature(signatureOf(r, s, v))
          const ours = 'refusal' in read || read.ecdsa === null ? null : recoverAddress(hash, read.ecdsa)
          const theirs = await recoverByViem({ hash, signature: signatureOf(r, s, v) }).then(
            lower,
            () => null,
          )
          expect(ours).toBe(theirs)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('signatures by random keys recover to their keys', async () => {
    for (let round = 0; round < 25; round++) {
      const payer = account()
      const hash = nonce()
      const read = readSignature(await payer.sign({ hash }))
      if ('refusal' in read || read.ecdsa === null) throw new Error('viem made no signature')
      expect(recoverAddress(Buffer.from(hash.slice(2), 'hex'), read.ecdsa)).toBe(lower(payer.address))
    }
  })

  //  Own derivation. R = kG, and Q = (sR - zG) / r. Where x = 5 there is no point; with s = z / k the sum is
  //  the point at infinity, which is nobody's key. Here k = 1, so R = G and s = z.
  const G = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n
  test.each<[string, Uint8Array, bigint, bigint, number, boolean]>([
    ['r is no x coordinate of the curve', digest(1), 5n, 1n, 27, false],
    ['the recovered key is the point at infinity', Buffer.from(word32(9n), 'hex'), G, 9n, 27, false],
    ['the same r and s with the other y', Buffer.from(word32(9n), 'hex'), G, 9n, 28, true],
    ['a digest of zeros', digest(0), 1n, 1n, 27, true],
    ['a digest above the order', digest(255), 1n, 1n, 27, true],
  ])('%s', async (_, hash, r, s, v, recovers) => {
    const read = readSignature(signatureOf(r, s, v))
    if ('refusal' in read || read.ecdsa === null) throw new Error('in range, so it is read')
    const ours = recoverAddress(hash, read.ecdsa)
    expect(ours !== null).toBe(recovers)
    const theirs = await recoverByViem({ hash: toHex(hash), signature: signatureOf(r, s, v) }).then(
      lower,
      () => null,
    )
    expect(ours).toBe(theirs)
  })
})

function word32(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
