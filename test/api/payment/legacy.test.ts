import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../../api/errors.ts'
import { dns } from '../../../api/goods/utility/dns/dns.ts'
import type { Ledger, Shown } from '../../../api/ledger/ledger.ts'
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

const moved = (differs: Partial<TokenTransfer> = {}) => ({
  ...transfer(),
  tx: `0x${'1'.repeat(64)}` as const,
  logIndex: 0,
  blockIndex: 0,
  ...differs,
})
/** @param standing of a transfer that nobody has signed for. */
function named(
  transfers: readonly TokenTransfer[] | null,
  standing: Shown | 'open',
  isSignedByWallet = async (_wallet: string) => false,
  nowMs = ISSUED_MS + 120_000,
) {
  const intents = createIntentIds(Buffer.alloc(32, 7), dns.path, RECEIVER)
  const refused = Promise.withResolvers<Problem>()
  const names: string[] = []
  const showTransfer = async (...shown: Parameters<Ledger['showTransfer']>) =>
    shown[4] === 0 ? 'open' : standing
  const sold = { good: dns, intents, offer: { asset: RECEIVER, payTo: RECEIVER, amount: '1000' } }
  const ports = {
    chain: {
      transfers: async (_token: string, tx: TokenTransfer['tx']) =>
        transfers?.map((each) => ({ ...each, tx })) ?? null,
      isSignedByWallet,
    },
    chainId: 8453,
    ledger: { find: async () => null, showTransfer },
    clock: { nowMs: () => nowMs },
    goods: {
      lookUp: (name: string) => {
        names.push(name)
        return refused.promise
      },
    },
  }
  const told = async (name: string, amountMicroUsdc: bigint, payerSignature = '', txHash = moved().tx) => {
    const intentId = intents.issue({ ...intent, amountMicroUsdc })
    const header = JSON.stringify({ intentId, txHash, paymentRail: 'usdc_base' })
    const call = {
      rawQuery: `q=${name}.example.com`,
      payload: '',
      agentId: '',
      creditAuth: '',
      payerSignature,
    }
    return await sellByTransfer(header, call as Call, sold as never, ports as never)
  }
  const ask = async (...asked: Parameters<typeof told>) =>
    JSON.parse(String((await told(...asked)).body)).code as string
  return { told, ask, names, refuse: () => refused.resolve({ problem: 'resolver_unavailable' }) }
}

test('DNS-11 an answer that fails leaves its transfer unspent: of those that take time a transaction has sixteen under way, and another one its own', async () => {
  const values = [intent.amountMicroUsdc, intent.amountMicroUsdc - 1n] //  one transaction may pay two intents
  const { ask, names, refuse } = named(
    values.map((value, logIndex) => moved({ value, logIndex })),
    'open',
  )
  const said: string[] = []
  const all = Array.from({ length: 20 }, async (_, nth) => said.push(await ask(`n${nth}`, values[nth % 2]!)))
  for (let turns = 0; names.length + said.length < 20 && turns < 500; turns++) await sleep(1)
  const early = [...said]
  const other = ask('other', values[0]!, '', `0x${'2'.repeat(64)}`)
  await expect.poll(() => names).toContain('other.example.com') //  while the sixteen are still under way
  refuse()
  await Promise.all([...all, other])
  expect(early).toEqual(Array(4).fill('busy'))
  expect(said.slice(4)).toEqual(Array(16).fill('resolver_unavailable'))
})

test.each([
  [4, 'resolver_unavailable'],
  [5, 'payer_unproven_yet'],
])(
  'RPL-18 of the wallets that one transaction moved money of four are asked whether they signed: that of the %s.',
  async (nth, code) => {
    const wallets = [1, 2, 3, 4, 5].map((one) => `0x${String(one).repeat(40)}` as const)
    const asked: string[] = []
    const isSignedByWallet = async (wallet: string) => asked.push(wallet) > 0 && wallet === wallets[nth - 1]
    const { ask, refuse } = named(
      wallets.map((from, logIndex) => moved({ from, logIndex })),
      60_000,
      isSignedByWallet,
    )
    refuse()
    expect(await ask('n', intent.amountMicroUsdc, `0x${'33'.repeat(65)}`)).toBe(code)
    expect(asked).toEqual(wallets.slice(0, 4))
  },
)

test.each([
  ['n', 'resolver_unavailable', ' after Retry-After.'],
  ['-', 'invalid_parameter', ', corrected.'],
])(
  '5.2 a question that cannot be answered after its transfer: no word of "nothing was charged" (%s: %s)',
  async (name, code, then) => {
    const { told, refuse } = named([moved()], 'open')
    refuse()
    expect(JSON.parse(String((await told(name, intent.amountMicroUsdc)).body))).toMatchObject({
      code,
      next: `What you sent is kept; send no more. Repeat the request with the same X-PAYMENT${then}`,
    })
  },
)

test('CLS-14 a transfer that is not there yet: asked again three seconds later it may be', async () => {
  const { status, headers } = await named(null, 'open').told('n', intent.amountMicroUsdc)
  expect([status, new Map(headers).get('retry-after')]).toEqual([503, '3'])
})

const LAST_MS = ISSUED_MS + 15 * 60_000 + 3_600_000
test.each([
  [LAST_MS, 'payer_unproven_yet'],
  [LAST_MS + 1, 'intent_expired'],
])(
  '5.2 an intent is paid within fifteen minutes and mined within an hour of them: at %d %s',
  async (blockMs, code) => {
    expect(await named([moved({ blockMs })], 60_000).ask('n', intent.amountMicroUsdc)).toBe(code)
  },
)

const MONTH_MS = 30 * 86_400_000
test.each([
  [MONTH_MS, 'payer_unproven_yet'],
  [MONTH_MS + 1, 'payer_unproven'],
])(
  'CLS-03 who showed a transfer may be forgotten when it is older than thirty days: after %d ms %s',
  async (ageMs, code) => {
    const { ask } = named([moved()], 60_000, undefined, ISSUED_MS + ageMs)
    expect(await ask('n', intent.amountMicroUsdc)).toBe(code)
  },
)
