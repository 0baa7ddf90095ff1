import { describe, expect, test } from 'vitest'
import type { Problem } from '../../../api/errors.ts'
import { dns } from '../../../api/goods/utility/dns/dns.ts'
import type { Call } from '../../../api/payment/input.ts'
import { createIntentIds } from '../../../api/payment/intentId.ts'
import { pays, sellByTransfer } from '../../../api/payment/legacy.ts'
import type { TokenTransfer } from '../../../api/settlement/port.ts'

const ISSUED_MS = 1_790_000_000_000
const SLACK_MS = 15_000
const intent = { issuedMs: ISSUED_MS, amountMicroUsdc: 993n }
const RECEIVER = '0x00000000000000000000000000000000000000Ee'
const SENDER = `0x${'ab'.repeat(20)}` as const
const transfer = (differs: Partial<TokenTransfer> = {}) =>
  ({
    to: RECEIVER.toLowerCase(),
    from: SENDER,
    value: 993n,
    blockMs: ISSUED_MS,
    byAuthorization: false,
    ...differs,
  }) as TokenTransfer

describe('5.2 which transfer pays a legacy intent', () => {
  test.each<[string, Partial<TokenTransfer>, boolean]>([
    ['the exact amount to us, after the intent', {}, true],
    ['CLS-01 a unit less', { value: 992n }, false],
    ['CLS-01 a unit more', { value: 994n }, false],
    ['CLS-03 to somebody else', { to: SENDER }, false],
    ['RPL-15 the settlement of an x402 payment', { byAuthorization: true }, false],
    ['CLS-06 mined as long before the intent as clocks may differ', { blockMs: ISSUED_MS - SLACK_MS }, true],
    ['CLS-06 older than that', { blockMs: ISSUED_MS - SLACK_MS - 1 }, false],
  ])('%s', (_, differs, does) => {
    expect(pays(transfer(differs), intent, RECEIVER, '')).toBe(does)
  })

  test.each([
    ['the account that sent it', SENDER.toUpperCase().replace('0X', '0x'), true],
    ['another account', `0x${'cd'.repeat(20)}`, false],
    ['a name that is no account', 'annie', true],
  ])('x-agent-id is %s', (_, agentId, does) => {
    expect(pays(transfer(), intent, RECEIVER, agentId)).toBe(does)
  })
})

test('DNS-11 an answer that fails leaves its transfer unspent: of those that take time it has sixteen under way', async () => {
  const intents = createIntentIds(Buffer.alloc(32, 7), dns.path, RECEIVER)
  const intentId = intents.issue(intent)
  const moved = { ...transfer(), tx: `0x${'1'.repeat(64)}`, logIndex: 0, blockIndex: 0 }
  const refused = Promise.withResolvers<Problem>()
  const names: string[] = []
  const sold = { good: dns, intents, offer: { asset: RECEIVER, payTo: RECEIVER, amount: '1000' } }
  const ports = {
    chain: { transfers: async () => [moved] },
    chainId: 8453,
    ledger: { find: async () => null, showTransfer: async () => 'open' },
    clock: { nowMs: () => ISSUED_MS + 120_000 },
    goods: {
      lookUp: (name: string) => {
        names.push(name)
        return refused.promise
      },
    },
  }
  const header = JSON.stringify({ intentId, txHash: moved.tx, paymentRail: 'usdc_base' })
  const said: string[] = []
  const all = Array.from({ length: 20 }, async (_, nth) => {
    const call = {
      rawQuery: `q=n${nth}.example.com`,
      payload: '',
      agentId: '',
      creditAuth: '',
      payerSignature: '',
    }
    const reply = await sellByTransfer(header, call as Call, sold as never, ports as never)
    said.push(JSON.parse(String(reply.body)).code)
  })
  for (let turns = 0; names.length + said.length < 20 && turns < 500; turns++)
    await new Promise((resolve) => setTimeout(resolve, 1))
  const early = [...said]
  refused.resolve({ problem: 'resolver_unavailable' })
  await Promise.all(all)
  expect(early).toEqual(Array(4).fill('busy'))
  expect(said.slice(4)).toEqual(Array(16).fill('resolver_unavailable'))
})
