import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { digestOfToken, isToken, TOKEN_KINDS, tokenOf } from '../../../api/entitlements/token.ts'

const SECRET = Buffer.alloc(32, 7)
const CLAIM = 'auth:8453:0xa:0xb:0xc'

describe('ENT-09 a token cannot be guessed, and who reads the ledger cannot use it', () => {
  test.each(TOKEN_KINDS)('%s: 256 bits behind its kind, and of no other kind', (kind) => {
    const token = tokenOf(SECRET, kind, CLAIM)
    const [name, text = ''] = token.split(/_(.*)/s)
    expect([name, Buffer.from(text, 'base64url')]).toEqual([kind, expect.toSatisfy(isOf32Bytes)])
    expect(TOKEN_KINDS.filter((each) => isToken(token, each))).toEqual([kind])
  })

  test('what the ledger keeps is its SHA-256, in which nothing of it stands', () => {
    const token = tokenOf(SECRET, 'feed', CLAIM)
    expect(digestOfToken(token)).toBe(createHash('sha256').update(token).digest('hex'))
  })

  test.each(['', ' ', 'A', 'é', '\n'])('%j behind it: another text, and no token', (more) => {
    const token = tokenOf(SECRET, 'feed', CLAIM)
    expect(isToken(`${token}${more}`, 'feed')).toBe(more === '')
  })
})

test('I16 of one claim always the same; of another claim, kind or secret another, whoever knows the one', () => {
  const texts = [
    tokenOf(SECRET, 'feed', CLAIM),
    tokenOf(SECRET, 'feed', `${CLAIM}d`),
    tokenOf(Buffer.alloc(32, 8), 'feed', CLAIM),
    ...TOKEN_KINDS.filter((kind) => kind !== 'feed').map((kind) => tokenOf(SECRET, kind, CLAIM)),
  ].map((token) => token.slice(token.indexOf('_') + 1))
  expect(new Set(texts).size).toBe(texts.length)
  expect(tokenOf(SECRET, 'feed', CLAIM)).toBe(tokenOf(SECRET, 'feed', CLAIM))
})

const isOf32Bytes = (bytes: Buffer) => bytes.length === 32
