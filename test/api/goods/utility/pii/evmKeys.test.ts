import { describe, expect, test } from 'vitest'
import { locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'

const KEY = 'c8f12fb8b20008e14b5a5ff4bad15af9b545d98144da8707892dcc2a2014ba58'
const OTHER = 'a1b2c3d4e5f60718293a4b5c6d7e8f90112233445566778899aabbccddeeff00'
const keysIn = (text: string): number => locatePii(text).filter(({ kind }) => kind === 'evmPrivateKey').length

describe('4.1 rule 10: the nearest word before 64 hex digits says whether they are a key or a hash', () => {
  test.each([
    [`wallet sent tx 0x${KEY}`, 0],
    [`tx of the wallet 0x${KEY}`, 1],
    [`private key for the tx 0x${KEY}`, 1], //  "private key" counts wherever it stands
    [`public key: ${KEY}`, 0],
    [`pubkey=0x${KEY}`, 0],
    [`Idempotency-Key: ${KEY}`, 0],
    [`cache key ${KEY}`, 0],
    [`key ${KEY}`, 1],
    [`signer ${KEY}`, 1],
    [`merkle leaf 0x${KEY}`, 0],
    [`storage slot 0x${KEY}`, 0],
    [`attestation uid 0x${KEY}`, 0],
    [`"conditionId":"0x${KEY}"`, 0], //         a market's id
    [`question_id=0x${KEY}`, 0],
    [`market ids: 0x${KEY}`, 0],
    [`"market":"0x${KEY}"`, 0],
    [`market maker 0x${KEY}`, 1],
    [`fluid 0x${KEY}`, 1], //                   inside a word
  ])('%s: %d', (text, count) => {
    expect(keysIn(text)).toBe(count)
  })
})

describe('4.1 rule 10: the words before a list are those of all its entries', () => {
  test.each([
    [`topics: ["0x${KEY}","0x${OTHER}"]`, 0],
    [`"proof": ["0x${KEY}",\n        "0x${OTHER}",\n        "0x${KEY}"]`, 0],
    [`private keys: ["0x${KEY}", "0x${OTHER}"]`, 2],
    [`private keys: ${KEY} ${OTHER}`, 2],
    [`["0x${KEY}","0x${OTHER}"]`, 2],
    [`hash 0x${KEY} then 0x${OTHER}`, 1], //     no list
    [`hash 0x${KEY},${' '.repeat(24)}0x${OTHER}`, 0],
    [`hash 0x${KEY},${' '.repeat(25)}0x${OTHER}`, 1],
  ])('case %#: %d', (text, count) => {
    expect(keysIn(text)).toBe(count)
  })
})
