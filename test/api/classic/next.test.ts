import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../../../api/errors.ts'
import { DAY } from '../../../ops/units.ts'
import { BUYER, classicWorld } from './world.ts'

const world = classicWorld()
const PACK = { sku: 'SKU_AG_HOUR_PASS_01' }
const UNKNOWN = `0x${'ab'.repeat(32)}`
const nextOf = async (path: string, body: object) => {
  const said = await world.post(path, body)
  expect([202, 200], said.text).toContain(said.status)
  return said.json.settlement.next as string
}

describe.each(['/fulfill', '/checkout/settle'])('%s tells nobody who has paid to pay again', (path) => {
  test('paid in full on a rail that does not discover: it asks for txHash, with which it is found', async () => {
    const buyerId = `eth-${path}`
    const { intentId, amountAtomic } = await world.open({ ...PACK, buyerId, paymentRail: 'eth_base' })
    const txHash = world.cash.send('eth_base', { atomic: amountAtomic })
    const next = await nextOf(path, { intentId, buyerId })
    expect(next).toContain('If you have paid, do not pay again: send txHash.')
    expect(next).toContain('eth_base')
    expect((await world.post('/fulfill', { intentId, buyerId, txHash })).status).toBe(200)
  })

  test('the same where such a rail is only named now', async () => {
    const buyerId = `named-${path}`
    const { intentId } = await world.open({ ...PACK, buyerId })
    const next = await nextOf(path, { intentId, buyerId, paymentRail: 'eth_base' })
    expect(next).toContain('do not pay again: send txHash.')
  })

  test.each(['usdc_base', 'eth_base'])(
    'CLS-14 %s: a transaction that is not mined yet is not found yet',
    async (rail) => {
      const buyerId = `slow-${rail}-${path}`
      const { intentId } = await world.open({ ...PACK, buyerId, paymentRail: rail })
      const next = await nextOf(path, { intentId, buyerId, txHash: UNKNOWN })
      expect(next).toMatch(
        /^The transaction is not found on base yet, or not deep enough: send no more money/,
      )
      expect(next).not.toMatch(/Send the exact amount|new intent/)
    },
  )

  test('CLS-14 the same when the time is over', async () => {
    const buyerId = `over-${path}`
    const { intentId } = await world.open({ ...PACK, buyerId })
    world.pass(1 * DAY)
    await world.watch()
    expect(await nextOf(path, { intentId, buyerId, txHash: UNKNOWN })).toMatch(
      /^The transaction is not found/,
    )
  })

  test('nothing is paid: once, and until it is found', async () => {
    const buyerId = `new-${path}`
    const { intentId } = await world.open({ ...PACK, buyerId })
    expect(await nextOf(path, { intentId, buyerId })).toMatch(
      /^Send the exact amount of one payment option, once, then POST \/fulfill until it is found/,
    )
  })
})

describe('409 transfer_mismatch: next and detail never say different things', () => {
  test('half of it: sign for it, send no more', async () => {
    const buyerId = 'half-of-it'
    const { intentId, amountAtomic } = await world.open({ ...PACK, buyerId })
    const txHash = world.cash.send('usdc_base', { atomic: BigInt(amountAtomic) / 2n })
    const said = await world.post('/fulfill', { intentId, buyerId, txHash })
    expect([said.status, said.json.code]).toEqual([409, 'transfer_mismatch'])
    expect(said.json.detail).toMatch(/payerSignature: EIP-191 by the sending account/)
    expect(said.json.next).toMatch(/^Send no more money\. If there is a detail, do what it says/)
    expect(said.json.next).toContain('/.well-known/security.txt')
    expect(said.json.next).not.toMatch(/Pay exactly/)
  })

  test('another sender than buyerId: its signature is asked for', async () => {
    const payment = await world.open(PACK)
    const from = `0x${'c7'.repeat(20)}`
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic, from })
    const said = await world.post('/fulfill', {
      intentId: payment.intentId,
      buyerId: BUYER,
      txHash,
    })
    expect(said.json.detail).toMatch(/^The transfer does not come from buyerId\. .*payerSignature/)
  })

  test('underpaid: the rest is sent once', () => {
    expect(PROBLEMS.underpaid.next).toMatch(/^Send exactly what is missing, once, .* until it is found/)
  })
})

describe('5.3 another entry of paymentOptions was paid, and no paymentRail says so: every answer asks for it', () => {
  test('the 402 itself says what names that rail', async () => {
    const payment = await world.open(PACK)
    expect(payment.howTo).toMatch(
      /txHash where discovers is false; if you pay another .*, name its paymentRail/,
    )
  })

  test('a transaction of the same chain: 409 says so, and with paymentRail it buys', async () => {
    const buyerId = 'other-entry'
    const { intentId, paymentOptions } = await world.open({ ...PACK, buyerId })
    const ether = paymentOptions.find(
      ({ paymentRail }: { paymentRail: string }) => paymentRail === 'eth_base',
    )
    const txHash = world.cash.send('eth_base', { atomic: ether.amountAtomic })
    const said = await world.post('/fulfill', { intentId, buyerId, txHash })
    expect([said.status, said.json.code]).toEqual([409, 'transfer_mismatch'])
    expect(said.json.detail).toMatch(/If it went by another .*, repeat the request with its paymentRail/)
    const named = await world.post('/fulfill', { intentId, buyerId, txHash, paymentRail: 'eth_base' })
    expect(named.status, named.text).toBe(200)
  })

  test('a transaction that is not found: the rail is asked for at once, not after an hour', async () => {
    const buyerId = 'other-chain'
    const { intentId } = await world.open({ ...PACK, buyerId })
    expect(await nextOf('/fulfill', { intentId, buyerId, txHash: UNKNOWN })).toContain(
      'repeat this request, with paymentRail if it went by another rail.',
    )
  })

  test('text that is no transaction of the chain', async () => {
    const buyerId = 'other-form'
    const { intentId } = await world.open({ ...PACK, buyerId })
    const said = await world.post('/fulfill', { intentId, buyerId, txHash: '5'.repeat(88) })
    expect([said.status, said.json.code]).toEqual([400, 'invalid_parameter'])
    expect(said.json.detail).toMatch(
      /^txHash: not a transaction of base\. If it went by another .*paymentRail/,
    )
  })
})
