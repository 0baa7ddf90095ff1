import { describe, expect, test } from 'vitest'
import { inspectChallenge } from '../../../ops/purchase/inspect.ts'
import { PurchaseEnd } from '../../../ops/purchase/outcomes.ts'
import { renderInspection } from '../../../ops/purchase/renderInspection.ts'
import { createPaint } from '../../../ops/purchase/terminal.ts'
import { USDC } from './seller.ts'

const offer = (change: object = {}) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '1000',
  asset: USDC,
  payTo: `0x${'ee'.repeat(20)}`,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2', redemption: 'r'.repeat(24) },
  ...change,
})
const isUsdc = ({ asset }: { asset: string }) => asset === USDC
const inspect = (required: object, body: unknown = {}) => {
  const header = Buffer.from(JSON.stringify({ x402Version: 2, ...required })).toString('base64')
  const headers = new Headers({ 'payment-required': header })
  const text = JSON.stringify(body)
  return inspectChallenge(
    'https://seller.example/p',
    { status: 402, headers, text, json: body },
    12.4,
    isUsdc,
  )
}

describe('a 402 is decoded', () => {
  test('what would be signed: the EIP-712 domain and the transfer, with the buyer’s own values left open', () => {
    const { accepts } = inspect({ accepts: [offer()] })
    expect(accepts[0]).toMatchObject({ amountUsdc: '0.001', assetName: 'USD Coin', why: null })
    expect(accepts[0]?.signs).toEqual({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
      primaryType: 'TransferWithAuthorization',
      message: {
        from: '<your address>',
        to: `0x${'ee'.repeat(20)}`,
        value: '1000',
        validAfter: '0',
        validBefore: '<now + 300>',
        nonce: '<32 random bytes>',
      },
    })
  })

  test.each([
    [{ scheme: 'upto' }, 'not scheme exact'],
    [{ network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }, 'not scheme exact'],
    [{ extra: { ...offer().extra, assetTransferMethod: 'permit2' } }, 'not scheme exact'],
    [{ extra: {} }, 'name and version'],
    [{ maxTimeoutSeconds: 86_401 }, 'good for 86401 s'],
    [{ maxTimeoutSeconds: 0 }, 'good for 0 s'],
    [{ maxTimeoutSeconds: 1.5 }, 'good for 1.5 s'],
    [{ asset: `0x${'11'.repeat(20)}` }, 'not known to be a dollar'],
  ])('an offer that cannot be paid here is shown with the reason: %j', (change, why) => {
    const { accepts } = inspect({ accepts: [offer(change), offer()] })
    expect(accepts).toHaveLength(2)
    expect(accepts[0]).toMatchObject({ signs: null, why: expect.stringContaining(why) })
  })

  test('what is no dollar has no price in dollars', () => {
    const seen = inspect({
      accepts: [offer({ asset: `0x${'11'.repeat(20)}` }), offer({ maxTimeoutSeconds: 86_400 })],
    })
    expect(seen.accepts.map(({ amountUsdc, why }) => [amountUsdc, why === null])).toEqual([
      [null, false],
      ['0.001', true],
    ])
    const shown = renderInspection(seen, { paint: createPaint(false), columns: 100 })
    expect(shown).toContain('1000 atomic, scheme exact')
  })

  test('extensions by name and size; sizes of header and body as they came', () => {
    const seen = inspect(
      { accepts: [offer()], extensions: { bazaar: { a: 'ü' } } },
      { sku: 'S', mode: 'sandbox' },
    )
    expect(seen.extensions).toEqual([{ name: 'bazaar', bytes: Buffer.byteLength('{"a":"ü"}') }])
    expect(seen).toMatchObject({ sku: 'S', mode: 'sandbox', ms: 12, bodyBytes: 28 })
    expect(seen.headBytes).toBe('payment-required'.length + seen.headerBytes + 4)
  })

  test('the secret that a 402 hands out for one buyer is not shown', () => {
    const seen = inspect({ accepts: [offer()] })
    const shown = JSON.stringify(seen) + renderInspection(seen, { paint: createPaint(false), columns: 100 })
    expect(shown).not.toContain('rrrrrrrr')
  })

  test.each([
    [{}],
    [{ accepts: 'none' }],
    [{ accepts: [{ scheme: 'exact' }] }],
    [{ accepts: [offer({ amount: '-1' })] }],
  ])('a 402 that cannot be read is refused: %j', (required) => {
    expect(() => inspect(required)).toThrow(PurchaseEnd)
  })

  test('text of a stranger does not drive the terminal', () => {
    const seen = inspect({ accepts: [offer()], resource: { url: 'x', description: '\u001b[2Jevil' } })
    const shown = renderInspection(seen, { paint: createPaint(false), columns: 100 })
    expect(shown).toContain('evil')
    expect(shown).not.toContain('\u001b')
  })
})
