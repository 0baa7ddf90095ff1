import { describe, expect, test } from 'vitest'
import { StandingAnswer } from '../../../api/classic/shapes.ts'
import { PROBLEMS } from '../../../api/errors.ts'
import { CLASSIC } from '../../../api/openapi/operations/classic.ts'
import { checkoutHelp } from '../../../api/pages/site/checkoutHelp.ts'
import { otherWaysToPay } from '../../../api/storefront/prose.ts'
import { BUYER, classicWorld, signedFor } from '../../api/classic/world.ts'
import { someFacts } from '../../support/facts.ts'

const world = classicWorld()
const PING = { sku: 'SKU_AG_PING_01', payload: {} }
const WORDS = 'intentId and the same buyerId (or x-agent-id)'

/** Opens a purchase and pays exactly its amount; the test then does what `payment` says. */
async function paidFor(body: object, options = {}) {
  const said = await world.post('/purchase-intent', { ...PING, ...body }, options)
  expect(said.status, said.text).toBe(402)
  world.cash.send('usdc_base', { atomic: said.json.payment.amountAtomic })
  return said.json
}

describe('4.2, 5.4, CLS-05 a paid purchase is fetched by doing what our own words say', () => {
  test('howTo and next: intentId and the same buyerId, or x-agent-id in its place', async () => {
    const { payment, next } = await paidFor({ buyerId: 'agent-1' })
    for (const words of [payment.howTo, next]) expect(words).toContain(`POST /fulfill with ${WORDS}`)
    const { intentId } = payment
    const first = await world.post('/fulfill', { intentId, buyerId: 'agent-1' })
    expect(first.status, first.text).toBe(200)
    expect((await world.post('/fulfill', { intentId }, { agent: 'agent-1' })).text).toBe(first.text)
  })

  test.each([
    ['SKU_DLQ_01', 'payload.samples', { samples: ['ECONNREFUSED 127.0.0.1:5432'] }],
    ['SKU_AG_MATCH_01', 'payload.q', { q: 'fed rates' }],
    ['SKU_RECEIPT_ORACLE_01', 'payload.hash', { hash: 'ab'.repeat(32) }],
  ])(
    '%s without its input: %s is asked for before it is paid, and until it has come',
    async (sku, name, payload) => {
      const buyerId = `of-${sku}`
      const { payment, next } = await paidFor({ sku, payload: undefined, buyerId })
      const { intentId } = payment
      for (const words of [payment.howTo, next]) expect(words).toContain(name)
      const standing = async () =>
        (await world.post('/checkout/settle', { intentId, buyerId })).json.settlement
      expect(await standing()).toMatchObject({ state: 'Confirmed', next: expect.stringContaining(name) })
      const refused = await world.post('/fulfill', { intentId, buyerId })
      expect([refused.status, refused.json.code]).toEqual([400, 'invalid_parameter'])
      expect(refused.json.next).toMatch(/^What was paid for it is kept; send no more\. POST \/fulfill with /)
      const said = await world.post('/fulfill', { intentId, buyerId, payload })
      expect(said.status, said.text).toBe(200)
      expect((await standing()).next).not.toContain('payload')
    },
  )

  test('an input that came along, and one that is not needed, is not asked for', async () => {
    const withIt = await paidFor({ sku: 'SKU_DLQ_01', payload: { samples: ['all is well'] } })
    for (const { payment, next } of [withIt, await paidFor({ payload: undefined })])
      expect(`${payment.howTo} ${next}`).not.toContain('payload')
  })

  test('opened by x-agent-id alone: either name fetches it', async () => {
    const { payment } = await paidFor({}, { agent: 'agent-2' })
    const { intentId } = payment
    const first = await world.post('/fulfill', { intentId, buyerId: 'agent-2' })
    expect([first.status, first.json.ok]).toEqual([200, true])
    expect((await world.post('/fulfill', { intentId }, { agent: 'agent-2' })).text).toBe(first.text)
  })

  test('opened without a name: intentId alone', async () => {
    const { payment } = await paidFor({})
    expect((await world.post('/fulfill', { intentId: payment.intentId })).status).toBe(200)
  })

  test.each(['/fulfill', '/checkout/settle'])(
    '%s without the name: 400 asks for it and for no other purchase; with it all is well',
    async (path) => {
      const { payment } = await paidFor({ buyerId: 'agent-3' })
      const said = await world.post(path, { intentId: payment.intentId })
      expect([said.status, said.json.code]).toEqual([400, 'invalid_parameter'])
      expect(said.json.detail).toMatch(/^buyerId: send the one this intent was opened with/)
      expect(said.text).not.toMatch(/agent-3|another|new one|purchase-intent|settlement/)
      const told = await world.post(path, { intentId: payment.intentId, buyerId: 'agent-3' })
      expect(told.status, told.text).toBe(200)
    },
  )

  test('without a name, an id that nobody was given: 404', async () => {
    const said = await world.post('/fulfill', { intentId: 'pi_AAAAAAAAAAAAAAAAAAAAAA' })
    expect([said.status, said.json.code]).toEqual([404, 'intent_unknown'])
  })

  test('by another name: 404, which sends nobody who has paid to pay again', async () => {
    const { payment } = await paidFor({ buyerId: 'agent-4' })
    const said = await world.post('/fulfill', { intentId: payment.intentId, buyerId: 'agent-5' })
    expect([said.status, said.json.code]).toEqual([404, 'intent_unknown'])
    expect(said.json.next).toMatch(/If you have paid, do not open another: send the same buyerId/)
  })

  const facts = someFacts()
  const [open, fulfill] = CLASSIC
  test.each([
    ['the list of ways to pay', otherWaysToPay(facts)],
    ['/checkout-help', JSON.stringify(checkoutHelp.content(facts, new Set()))],
    ['the 402 in the interface description', open!.answers[402]!.description],
    ['/fulfill in the interface description', fulfill!.description!],
    ['intent_unknown', PROBLEMS.intent_unknown.next],
  ])('%s names the buyer wherever it names the intent', (_, text) => {
    expect(text).toMatch(/same `?buyerId|buyerId: the same/)
    expect(text).not.toMatch(/\{intentId\}|intentId alone|with intentId\.|with the intent id\./)
  })
})

describe('CLS-07 the figures of a purchase add up', () => {
  const standingOf = async (intentId: string) =>
    StandingAnswer.parse((await world.post('/checkout/settle', { intentId, buyerId: 'agent-6' })).json)
      .settlement

  test('paid exactly: what is due is what came', async () => {
    const { payment } = await paidFor({ buyerId: 'agent-6' })
    const { dueUsdc, receivedUsdc } = await standingOf(payment.intentId)
    expect([dueUsdc, receivedUsdc]).toEqual([payment.amountAsset, payment.amountAsset])
    expect(payment.amountUsdc).toBe(payment.amountAsset)
  })

  test('paid in part: due less received is missing', async () => {
    const payment = await world.open(PING)
    const atomic = BigInt(payment.amountAtomic) / 3n
    const txHash = world.cash.send('usdc_base', { atomic })
    const { intentId } = payment
    const said = await world.post('/fulfill', await signedFor({ intentId, txHash, buyerId: BUYER }))
    expect([said.status, said.json.code]).toEqual([402, 'underpaid'])
    const { dueUsdc, receivedUsdc, missing } = said.json.settlement
    const [due, received, rest] = [dueUsdc, receivedUsdc, missing[0].amountAsset].map((text) =>
      Math.round(Number(text) * 1e6),
    )
    expect([due, received]).toEqual([Number(payment.amountAtomic), Number(atomic)])
    expect(due! - received!).toBe(rest)
  })
})
