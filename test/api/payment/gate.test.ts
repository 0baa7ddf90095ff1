import { describe, expect, test } from 'vitest'
import { GOODS } from '../../../api/goods/index.ts'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { createGate } from '../../../api/payment/gate.ts'
import { newKey } from '../receipts/keys.ts'

const NOW = 1_790_000_000_000
const PAY_TO = '0xAbCdEf0123456789abcdef0123456789ABCDEF01'
const terms = {
  publicUrl: 'https://micro-data.service.example.com',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: PAY_TO,
  tokenName: 'USD Coin',
  tokenVersion: '2',
  maxTimeoutSeconds: 300,
  mode: 'live' as const,
  secret: Buffer.alloc(32, 7),
  receiptKey: newKey(),
}

/** Holds only what is given; reading anything else throws. */
const nothingBut = <Whole>(given: object): Whole =>
  new Proxy(given, {
    get(target, name) {
      if (!(name in target)) throw new Error(`asked for ${String(name)}`)
      return target[name as keyof typeof target]
    },
  }) as Whole

describe.each(GOODS.map((good) => [good.path, good] as const))('7 an unpaid call of %s', (_, good) => {
  test('is a 402 at once: neither its query nor any store, chain or board is looked at', () => {
    const clock = { nowMs: () => NOW }
    const gate = createGate(good, terms, nothingBut({ clock, intentClock: clock }))
    const reply = gate(nothingBut<HttpRequest>({ header: () => '' }))
    if (reply instanceof Promise) throw new Error('it waits for something')
    expect(reply.status).toBe(402)
    expect(reply.headers.map(([name]) => name)).toContain('payment-required')
    expect(JSON.parse(String(reply.body))).toMatchObject({
      code: 'payment_required',
      payment: { intentId: expect.stringMatching(/^[\w-]{43}$/), payTo: PAY_TO },
    })
  })
})
