import { describe, expect, test } from 'vitest'
import { createIntentIds, randomTag } from '../../../api/payment/intentId.ts'

const secret = Buffer.alloc(32, 7)
const ids = createIntentIds(secret, '/x402/v1/ping')
const intent = { issuedMs: 1_790_000_000_123, amountMicroUsdc: 9_975n }

describe('5.2 a legacy intent needs no storage', () => {
  test('reads back what it promised', () => {
    expect(ids.read(ids.issue(intent))).toEqual({ ...intent, payTo: '' })
  })

  test('says whom its 402 named: also when another receives by now, and to nobody who was never named', () => {
    const [then, now, other] = ['Aa', 'bb', 'cc'].map((byte) => `0x${byte.repeat(20)}`) as [
      string,
      string,
      string,
    ]
    const id = createIntentIds(secret, '/x402/v1/ping', then).issue(intent)
    const reader = createIntentIds(secret, '/x402/v1/ping', now)
    expect(createIntentIds(secret, '/x402/v1/ping', then).read(id)).toEqual({ ...intent, payTo: then })
    expect(reader.read(id)).toBeNull()
    expect(reader.read(id, [other, ''])).toBeNull()
    expect(reader.read(id, [other, then.toLowerCase()])).toEqual({ ...intent, payTo: then.toLowerCase() })
    expect(createIntentIds(secret, '/x402/v1/spread', now).read(id, [then])).toBeNull()
  })

  test('one of a version before did not say whom: then it is whoever receives now', () => {
    const reader = createIntentIds(secret, '/x402/v1/ping', '0xbb')
    expect(reader.read(ids.issue(intent), ['0xaa'])).toEqual({ ...intent, payTo: '0xbb' })
    const unnamed = Buffer.from(reader.issue(intent), 'base64url')
    unnamed[0] = 1 //  the version byte cannot be set back to that of an older one
    expect(reader.read(unnamed.toString('base64url'))).toBeNull()
  })

  test('is void on another path, under another secret, and after any change', () => {
    const id = ids.issue(intent)
    expect(createIntentIds(secret, '/x402/v1/spread').read(id)).toBeNull()
    expect(createIntentIds(Buffer.alloc(32, 8), '/x402/v1/ping').read(id)).toBeNull()
    for (let at = 0; at < id.length; at++) {
      const changed = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1)
      expect(ids.read(changed)).toBeNull()
    }
    for (const text of ['', 'A', `${id}A`, id.slice(1), '='.repeat(50)]) expect(ids.read(text)).toBeNull()
  })

  test('CLS-05 two intents of one instant differ', () => {
    const issued = new Set(Array.from({ length: 10_000 }, () => ids.issue(intent)))
    expect(issued.size).toBe(10_000)
  })

  test('the tagged amount never exceeds the advertised price and is at least nine tenths of it', () => {
    for (const price of [1n, 9n, 1_000n, 10_000n, 250_000n, 10_000_000n]) {
      const amounts = Array.from({ length: 500 }, () => price - BigInt(randomTag(Number(price))))
      for (const amount of amounts) {
        expect(amount <= price).toBe(true)
        expect(amount * 10n > price * 9n - 1n).toBe(true)
        expect(price - amount < 1_000n).toBe(true)
      }
      if (price >= 1_000n) expect(new Set(amounts).size).toBeGreaterThan(50)
    }
  })
})
