import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accountOf, buyerDigest, creditAuthDigest, isCreditSecret } from '../../../api/entitlements/credit.ts'

const OURS = Buffer.alloc(32, 7)
const secret = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 16,
  maxLength: 64,
})

describe('CRD-12 what is compared of a buyer’s secret is a MAC under ours: its time and its bytes tell nothing', () => {
  test('of one length, whatever was guessed, and nothing like the secret', () => {
    fc.assert(
      fc.property(secret, (text) => {
        const digest = creditAuthDigest(OURS, 'ann', text)
        expect(digest).toMatch(/^[0-9a-f]{64}$/)
        expect(digest).not.toContain(text)
      }),
    )
  })

  test('a right beginning is worth nothing: digests of secrets that differ in their last letter share no beginning', () => {
    fc.assert(
      fc.property(secret, (text) => {
        const [right, near] = [`${text}a`, `${text}b`].map((each) => creditAuthDigest(OURS, 'ann', each))
        expect(near!.slice(0, 12)).not.toBe(right!.slice(0, 12))
      }),
    )
  })

  test('who has the ledger cannot try secrets: without ours, or for another account, the digest is another', () => {
    fc.assert(
      fc.property(secret, (text) => {
        const of = (ours: Buffer, account: string) => creditAuthDigest(ours, account, text)
        expect(new Set([of(OURS, 'ann'), of(Buffer.alloc(32, 8), 'ann'), of(OURS, 'bob')]).size).toBe(3)
      }),
    )
  })
})

describe('CRD-06 an account has one spelling, and two names are never one account', () => {
  test.each([
    ['as it was sent', 'Agent:A', 'Agent:A'],
    ['another by its case', 'agent:a', 'agent:a'],
    ['an EVM address in lower case', `0x${'Ab'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
    ['no more than 128 letters', 'x'.repeat(129), null],
    ['none', '', null],
    ['a space', 'ann ', null],
    ['a line end', 'ann\n', null],
    ['beyond ASCII', 'ańn', null],
    ['a letter without width', 'an\u200bn', null],
  ])('%s: %j', (_, agentId, account) => {
    expect(accountOf(agentId)).toBe(account)
  })
})

describe('5.1 a secret of a buyer: 16 to 256 visible ASCII characters', () => {
  test.each([
    ['15', 'x'.repeat(15), false],
    ['16', 'x'.repeat(16), true],
    ['256', '~'.repeat(256), true],
    ['257', 'x'.repeat(257), false],
    ['a blank in it', 'fifteen letters and', false],
    ['a letter beyond ASCII', 'sixteen-letters-ü', false],
    ['a control character', 'sixteen-letters-\u007f', false],
  ])('%s', (_, text, is) => expect(isCreditSecret(text)).toBe(is))
})

test('5.4 who names himself nowhere is nobody, and two buyers are two', () => {
  expect(buyerDigest(OURS, '')).toBe('')
  expect(buyerDigest(OURS, 'ann')).toMatch(/^[0-9a-f]{64}$/)
  expect(buyerDigest(OURS, 'ann')).not.toBe(buyerDigest(OURS, 'bob'))
})
