import { generateKeyPairSync, sign } from 'node:crypto'
import { base58 } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'

const kindsIn = (text: string): string[] => locatePii(text).map(({ kind }) => kind)

/** Published examples: private key 1 in wallet import format, and the first test vector of BIP 32. */
const WIF = 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn'
const WIF_UNCOMPRESSED = '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ'
const XPRV =
  'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi'
const XPUB =
  'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8'
const ADDRESS = '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'

/** A key pair of Solana: the secret and its public half. */
function pair() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' })
  const bytes = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')])
  return { bytes, publicKey, privateKey }
}

describe('4.1 rule 10: private keys of wallets that prove themselves', () => {
  test.each([WIF, WIF_UNCOMPRESSED, XPRV])('%s', (key) => {
    expect(kindsIn(`my key is ${key}.`)).toEqual(['walletKey'])
    expect(kindsIn(`x${key}`)).not.toContain('walletKey')
    expect(kindsIn(`${key}x`)).not.toContain('walletKey')
  })

  test.each([XPUB, ADDRESS])('what everybody may read is none: %s', (text) => {
    expect(kindsIn(text)).toEqual([])
  })

  test('one sign changed, and the checksum does not hold', () => {
    const SIGNS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    fc.assert(
      fc.property(
        fc.constantFrom(WIF, WIF_UNCOMPRESSED, XPRV),
        fc.nat(1_000),
        fc.constantFrom(...SIGNS),
        (key, place, sign) => {
          const at = place % key.length
          fc.pre(key[at] !== sign)
          expect(kindsIn(key.slice(0, at) + sign + key.slice(at + 1))).not.toContain('walletKey')
        },
      ),
    )
  })

  test('a key pair of Solana, in base58 and as a file', () => {
    const { bytes } = pair()
    expect(kindsIn(`secret ${base58.encode(bytes)}`)).toContain('walletKey')
    expect(kindsIn(JSON.stringify([...bytes]))).toEqual(['walletKey'])
    expect(kindsIn(JSON.stringify([...bytes], null, 2))).toEqual(['walletKey'])
  })

  test('none: a signature, a public half of another secret, 63 numbers, numbers that are no bytes', () => {
    const { bytes, privateKey } = pair()
    const torn = Buffer.concat([bytes.subarray(0, 32), pair().bytes.subarray(32)])
    const signature = sign(null, Buffer.from('text'), privateKey)
    for (const none of [torn, signature]) {
      expect(kindsIn(base58.encode(none))).toEqual([])
      expect(kindsIn(JSON.stringify([...none]))).toEqual([])
    }
    expect(kindsIn(JSON.stringify([...bytes].slice(1)))).toEqual([])
    expect(kindsIn(JSON.stringify([256 + bytes[0]!, ...bytes.subarray(1)]))).toEqual([])
  })

  test('200 of them are checked in one text, and no more', () => {
    expect(kindsIn(`${WIF} `.repeat(201)).length).toBe(200)
  })
})
