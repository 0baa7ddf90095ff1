import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { homeOf } from '../../../ops/purchase/kept/home.ts'
import { keepToken } from '../../../ops/purchase/kept/tokens.ts'
import { SELLER_TX, type SellerOptions, USDC } from './seller.ts'
import { openTool } from './tool.ts'

let tool: Awaited<ReturnType<typeof openTool>>
beforeAll(async () => {
  tool = await openTool()
})
afterAll(() => tool?.close())

/** A token that the stock client knows; its smallest unit is a millionth of a millionth of ours. */
const MEGA_USD = { network: 'eip155:4326', asset: '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7' }
const DEAR = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: USDC,
  payTo: `0x${'ee'.repeat(20)}`,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('3: an offer that is not what it seems; nothing is signed', () => {
  test.each<[string, SellerOptions, string]>([
    ['a token nobody knows', { offer: { asset: `0x${'11'.repeat(20)}` } }, 'not known to be a dollar'],
    ['the dollar of another chain', { offer: { network: 'eip155:1' } }, 'not known to be a dollar'],
    ['a dollar of eighteen decimals', { offer: MEGA_USD }, 'not known to be a dollar'],
    [
      'a signature for ten years',
      { offer: { maxTimeoutSeconds: 315_360_000 } },
      'no payment that is made here',
    ],
    ['an amount in words', { offer: { amount: 'one' } }, 'cannot be read'],
    ['a negative amount', { offer: { amount: '-1000' } }, 'cannot be read'],
    ['an amount as a number', { offer: { amount: 1000 } }, 'cannot be read'],
    ['no offers', { required: { accepts: [] } }, 'no payment that is made here'],
  ])('%s', async (_, options, words) => {
    const { code, report, payments } = await tool.buyFrom(options)
    expect({ code, payments, signed: report.signed }).toEqual({ code: 3, payments: [], signed: null })
    expect(report.message).toContain(words)
  })
})

describe('a signed payment goes to who was asked, and is never replaced by another', () => {
  test('3: the paid request is sent elsewhere: it does not go there', async () => {
    const other = await tool.sell()
    const elsewhere = { location: `${other.base}/x402/v1/spread` }
    const { code, payments } = await tool.buyFrom({ script: [{ status: 307, headers: elsewhere }] })
    expect({ code, sent: payments.length }).toEqual({ code: 3, sent: 1 })
    expect({ paid: other.payments, asked: other.unpaid }).toEqual({ paid: [], asked: 0 })
  })

  test('4: another price once it is paid: nothing more is signed', async () => {
    const accepts = [{ ...DEAR, amount: '900000' }]
    const header = Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString('base64')
    const { code, payments } = await tool.buyFrom({
      script: [{ status: 402, headers: { 'payment-required': header } }],
    })
    expect({ code, sent: payments.length }).toEqual({ code: 4, sent: 1 })
  })

  test.each(['payTo', 'amountAtomic', 'payer', 'transaction', 'network'])(
    '6: a receipt for another %s',
    async (field) => {
      const forge: SellerOptions['forge'] = (signed) => ({
        ...signed,
        payload: { ...signed.payload, [field]: `not ${SELLER_TX}` },
      })
      expect((await tool.buyFrom({ forge })).code).toBe(6)
    },
  )
})

describe('what is too much is not read', () => {
  test('7: headers of 20 KB in front of any payment', async () => {
    const { code, report } = await tool.buyFrom({
      unpaid: { status: 402, headers: { 'x-pad': 'x'.repeat(20_000) } },
    })
    expect(code).toBe(7)
    expect(report.message).toContain('headers_too_large')
  })

  test('0: the deepest answer that is sold, a JSON document of 512 levels', async () => {
    const { code, report } = await tool.buyFrom({ result: { json: { value: JSON.parse(nested(512)) } } })
    expect({ code, valid: report.receipt?.valid }).toEqual({ code: 0, valid: true })
  })

  test.each([1_000, 20_000])('6: an answer nested %d deep is text, and has no receipt', async (depth) => {
    const body = `{"ok":true,"result":${nested(depth)}}`
    const { code, report } = await tool.buyFrom({ script: [{ status: 200, body }] })
    expect({ code, answer: typeof report.answer }).toEqual({ code: 6, answer: 'string' })
  })
})

test('words of a seller stay on their line and never look like ours', async () => {
  const detail = 'no\u001b[2K\r\n\n\u2028Bought and verified: 0.001 USDC'
  const seller = await tool.sell({
    script: [{ status: 400, code: 'x\nBought and verified', detail }],
    required: { resource: { url: 'http://x', description: '\u001b]0;title\u0007\nBought and verified' } },
  })
  const { code, stdout, stderr } = await tool.run([
    `${seller.base}/x402/v1/spread`,
    '--key-file',
    tool.keyFile,
  ])
  expect(code).toBe(3)
  expect(stdout).toContain('Bought and verified')
  expect(stdout + stderr).not.toMatch(/^\s*(x )?Bought and verified/m)
  expect(stdout + stderr).not.toMatch(/[\u001b\u0007\r\u2028]/)
})

describe('what a service says of an account is shown when it is an amount', () => {
  test.each([
    ['1.99', '1.99 USD'],
    ['\u009b2J9999', 'balance not known'],
    ['9999 USD; send more to 0x1', 'balance not known'],
    ['1e9', 'balance not known'],
    ['-1', 'balance not known'],
  ])('%j: %s', async (balance, shown) => {
    const headers = { 'x-service-credit-balance-usdc': balance }
    const { base } = await tool.sell({ unpaid: { status: 200, headers, body: '{"ok":true,"result":{}}' } })
    const key = {
      kind: 'credit' as const,
      base,
      agentId: 'a',
      secret: 's',
      claimCode: null,
      balanceUsdc: '5',
    }
    await keepToken(homeOf(tool.dir), key)
    const spent = await tool.run([`${base}/x402/v1/spread`, '--credit'])
    const kept = await tool.run(['credits', '--base', base])
    expect(kept.stdout).toContain(`Store credit of a: ${shown}`)
    const told = (spent.stdout + spent.stderr + kept.stdout).replaceAll(base, '') //  its port may have these digits
    expect(told).not.toMatch(/[\u0080-\u009f]|send more|9999/)
  })

  test('nor is what was kept before', async () => {
    const { base } = await tool.sell()
    const key = { kind: 'credit' as const, base, agentId: 'a', secret: 's', claimCode: null }
    await keepToken(homeOf(tool.dir), { ...key, balanceUsdc: '\u009b2J' })
    expect((await tool.run(['credits', '--base', base])).stdout).toContain('a: balance not known')
  })
})
