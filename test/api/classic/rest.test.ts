import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { payerText } from '../../../api/classic/payerSignature.ts'
import { MINUTE } from '../../../ops/units.ts'
import { BUYER, classicWorld } from './world.ts'

const world = classicWorld()
const PACK = { sku: 'SKU_AG_HOUR_PASS_01' }
const account = privateKeyToAccount(`0x${'09'.repeat(32)}`)
const PAYER = account.address.toLowerCase()
const STRANGER = `0x${'5a'.repeat(20)}`

type Rail = 'usdc_base' | 'eth_base'
const signed = async (intentId: string, txHash: string) => ({
  txHash,
  payerSignature: await account.signMessage({ message: payerText(intentId, txHash) }),
})

/** A purchase whose payer has sent an `of`-th of the quote, and signed for it. */
async function underpaid(buyerId: string, { rail = 'usdc_base' as Rail, of = 3n, from = PAYER } = {}) {
  const payment = await world.open({ ...PACK, buyerId, paymentRail: rail })
  const { intentId } = payment
  const part = world.cash.send(rail, { atomic: BigInt(payment.amountAtomic) / of, from })
  const asked = { intentId, buyerId, ...(await signed(intentId, part)) }
  const said = await world.post('/fulfill', asked)
  expect([said.status, said.json.code]).toEqual([402, 'underpaid'])
  expect(said.json.settlement.next).toMatch(/^Send exactly what is missing, once, from the same wallet/)
  return { asked, missing: said.json.settlement.missing[0].amountAtomic as string, next: said.json.next }
}

describe('CLS-07 “send exactly what is missing from the same wallet, then repeat this request” does what it says', () => {
  const WAYS = [
    ['the same request again', {}],
    ['the id alone', { txHash: undefined, payerSignature: undefined }],
  ] as const
  test.each(WAYS.flatMap(([way, change]) => [3n, 2n].map((of) => [way, of, change] as const)))(
    '%s, after 1/%d of it: the rest is found on a rail that discovers',
    async (_, of, change) => {
      const { asked, missing } = await underpaid('agent-in-parts', { of })
      world.cash.send('usdc_base', { atomic: missing, from: PAYER })
      const said = await world.post('/fulfill', { ...asked, ...change })
      expect(said.status, said.text).toBe(200)
    },
  )

  test.each(['usdc_base', 'eth_base'] as const)(
    '%s: the hash of the rest, without another signature',
    async (rail) => {
      const { asked, missing, next } = await underpaid(`agent-of-${rail}`, { rail })
      expect(next).toContain('with the txHash of that transfer where discovers is false')
      const txHash = world.cash.send(rail, { atomic: missing, from: PAYER })
      const { payerSignature: _, ...unsigned } = asked
      const said = await world.post('/fulfill', { ...unsigned, txHash })
      expect(said.status, said.text).toBe(200)
    },
  )

  test('its time is over and no worker ends it: nobody is told to send the rest; what was sent in time buys', async () => {
    const { asked, missing } = await underpaid('agent-over', { rail: 'eth_base' })
    const txHash = world.cash.send('eth_base', { atomic: missing, from: PAYER })
    world.pass(45 * MINUTE)
    const over = await world.post('/fulfill', { ...asked, txHash: undefined, payerSignature: undefined })
    expect([over.status, over.json.code]).toEqual([409, 'intent_lapsed'])
    expect(over.json.settlement).toMatchObject({ state: 'Expired', missing: [], notes: [] })
    expect(over.json.settlement.next).toMatch(/^Open a new intent/)
    expect((await world.post('/fulfill', { ...asked, txHash })).status).toBe(200)
  })

  test('the wallet that signed may pay the rest for a buyer who is another address', async () => {
    const { asked, missing } = await underpaid(BUYER)
    world.cash.send('usdc_base', { atomic: missing, from: PAYER })
    expect((await world.post('/fulfill', asked)).status).toBe(200)
  })

  test('both were sent before he asks for the first time: one request finds both', async () => {
    const { intentId, amountAtomic } = await world.open({ ...PACK, buyerId: 'sent-both' })
    const part = BigInt(amountAtomic) / 3n
    const txHash = world.cash.send('usdc_base', { atomic: part, from: PAYER })
    world.cash.send('usdc_base', { atomic: BigInt(amountAtomic) - part, from: PAYER })
    const said = await world.post('/fulfill', {
      intentId,
      buyerId: 'sent-both',
      ...(await signed(intentId, txHash)),
    })
    expect(said.status, said.text).toBe(200)
  })

  test('the rest is on its way: nobody is told to send it again', async () => {
    const { asked, missing } = await underpaid('agent-on-its-way')
    const txHash = world.cash.send('usdc_base', { atomic: missing, from: PAYER })
    world.cash.amend(txHash, { confirmations: 0 })
    for (const hash of [txHash, `0x${'cd'.repeat(32)}`, undefined, asked.txHash]) {
      const said = await world.post('/fulfill', { ...asked, txHash: hash, payerSignature: undefined })
      expect([said.status, said.retryAfter]).toEqual([202, '3'])
      expect(said.json.settlement.next).toMatch(/^The transaction is not found .* send no more money/)
    }
    world.cash.amend(txHash, { confirmations: 2 })
    expect((await world.post('/fulfill', asked)).status).toBe(200)
  })
})

describe('CLS-03 nobody gets another’s money as the rest of his own', () => {
  const refusedWith = async (asked: object, txHash: string) => {
    const said = await world.post('/fulfill', { ...asked, txHash, payerSignature: undefined })
    expect(said.json.code).not.toBe('underpaid')
    return [said.status, said.json.code]
  }

  test('what is missing, from a wallet that paid no part: 409', async () => {
    const { asked, missing } = await underpaid('agent-greedy')
    const txHash = world.cash.send('usdc_base', { atomic: missing, from: STRANGER })
    expect(await refusedWith(asked, txHash)).toEqual([409, 'transfer_mismatch'])
    expect((await world.post('/fulfill', asked)).json.code).toBe('underpaid')
  })

  test('the thief names the victim’s wallet as buyerId and pays the part himself: 409', async () => {
    const { asked, missing } = await underpaid(STRANGER)
    const txHash = world.cash.send('usdc_base', { atomic: missing, from: STRANGER })
    expect(await refusedWith(asked, txHash)).toEqual([409, 'transfer_mismatch'])
    expect((await world.post('/fulfill', asked)).json.code).toBe('underpaid')
  })

  test('one unit more or less than what is missing shows nothing', async () => {
    const { asked, missing } = await underpaid('agent-inexact')
    for (const atomic of [BigInt(missing) - 1n, BigInt(missing) + 1n]) {
      const txHash = world.cash.send('usdc_base', { atomic, from: PAYER })
      expect(await refusedWith(asked, txHash)).toEqual([409, 'transfer_mismatch'])
    }
  })

  test('the same wallet’s payment of another purchase, whose amount is what is missing here, pays that one', async () => {
    const other = await world.open({ ...PACK, buyerId: 'agent-other' })
    const payment = await world.open({ sku: 'SKU_DLQ_01', buyerId: 'agent-both' })
    const part = BigInt(payment.amountAtomic) - BigInt(other.amountAtomic)
    const { intentId } = payment
    const first = world.cash.send('usdc_base', { atomic: part, from: PAYER })
    const asked = { intentId, buyerId: 'agent-both', ...(await signed(intentId, first)) }
    const said = await world.post('/fulfill', asked)
    expect(said.json.settlement.missing[0].amountAtomic).toBe(other.amountAtomic)
    const txHash = world.cash.send('usdc_base', { atomic: other.amountAtomic, from: PAYER })
    expect(await refusedWith(asked, txHash)).toEqual([409, 'transfer_mismatch'])
    const paid = await world.post('/fulfill', { intentId: other.intentId, buyerId: 'agent-other' })
    expect(paid.status, paid.text).toBe(200)
  })
})
