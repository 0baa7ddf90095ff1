import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openCheckout } from '../../../api/checkout/open.ts'
import type { CardProvider } from '../../../api/checkout/provider.ts'
import { type RefreshPorts, refresh } from '../../../api/checkout/refresh.ts'
import { openStripe } from '../../../api/checkout/stripe.ts'
import { isProblem } from '../../../api/errors.ts'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { type CardLedger, cardKey, createCardLedger } from '../../../api/ledger/cards.ts'
import { realClock } from '../../../ops/clock.ts'
import { someBookRow, someGap, someMover, someNet } from '../../support/boards.ts'
import { type Cards, startCards } from '../../support/cards.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { gapsBody, MAX_AGE, moversBody, NOW, portsOver } from '../goods/support.ts'

let server: TestRedis
let opened: ReturnType<typeof openLedger>
let cards: CardLedger
let till: Cards
let provider: CardProvider
beforeAll(async () => {
  ;[server, till] = await Promise.all([startRedis({ appendfsync: 'always' }), startCards()])
  opened = openLedger(server.url)
  cards = createCardLedger(opened.redis)
  provider = openStripe({
    ...{ MODE: 'sandbox', STRIPE_API_URL: till.url },
    STRIPE_SECRET_KEY_FILE: till.env.STRIPE_SECRET_KEY_FILE!,
    STRIPE_WEBHOOK_SECRET_FILE: till.env.STRIPE_WEBHOOK_SECRET_FILE!,
  })!
})
beforeEach(() => opened.redis.flushall())
afterAll(async () => {
  opened?.close()
  await Promise.all([server?.stop(), till?.stop()])
})

const answers = {
  secret: Buffer.alloc(32, 7),
  publicUrl: 'http://127.0.0.1',
  mode: 'sandbox',
  chainId: 1,
} as const
const boards = (gapCents: number, change = {}) =>
  portsOver(
    {
      gaps: gapsBody([someGap({ gapCents })]),
      nets: { rows: [someNet()] },
      movers: moversBody({ day: [someMover()] }),
      book: { a: [someBookRow()], b: [] },
    },
    change,
  )
const OLD = { asOfMs: { a: NOW - MAX_AGE - 1, b: NOW - MAX_AGE - 1 } }

async function soldInquiry(drawnOver: GoodPorts, paidOver: GoodPorts | null) {
  const order = { sku: 'SKU_INQUIRY_01', buyerId: 'buyer', payload: { q: 'fed' } }
  const ports = { cards, provider, answers, clock: realClock }
  const begun = await openCheckout(order, '', { ...ports, goods: drawnOver })
  if (isProblem(begun)) throw new Error(begun.problem)
  till.act(begun.checkout.sessionId, 'pay')
  const known = (await cards.find(begun.checkout.digest))!
  const how: RefreshPorts = { cards, provider, answers, log: quietLog, goods: paidOver }
  const after = await refresh(known, { gapMs: 0 }, how)
  if (isProblem(after)) throw new Error(after.problem)
  const claim = (await opened.ledger.find(cardKey(known.digest)))!
  return { after, claim, gapCents: JSON.parse(claim.draft).result.inquiry.spread.gapCents }
}

describe('OPS-19 what boards decide is drawn again when it is paid', () => {
  test('where boards are held: as of now', async () => {
    const { after, claim, gapCents } = await soldInquiry(boards(7), boards(12, { version: 5 }))
    expect([after.status, after.claimed, gapCents, claim.snapshotVersion]).toEqual(['paid', true, 12, 5])
  })

  test.each<[string, GoodPorts | null]>([
    ['the boards are too old now', boards(12, OLD)],
    ['there are no boards (the worker)', null],
  ])('%s: as it was when the buyer was sent to pay', async (_, paidOver) => {
    const { after, gapCents } = await soldInquiry(boards(7), paidOver)
    expect([after.status, gapCents]).toEqual(['paid', 7])
  })

  test('nobody is sent to pay over boards that are too old', async () => {
    const before = till.sales().length
    await expect(soldInquiry(boards(7, OLD), null)).rejects.toThrow('stale_data')
    expect(till.sales()).toHaveLength(before)
  })
})

describe('a truth about something else is not booked', () => {
  test('another amount at the till: stays open, and is said to the operator', async () => {
    const order = { sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }
    const begun = await openCheckout(order, '', {
      cards,
      provider,
      answers,
      clock: realClock,
      goods: boards(7),
    })
    if (isProblem(begun)) throw new Error(begun.problem)
    till.sales().find(({ id }) => id === begun.checkout.sessionId)!.cents = 1
    till.act(begun.checkout.sessionId, 'pay')
    const known = (await cards.find(begun.checkout.digest))!
    const said: unknown[] = []
    const log = Object.assign(Object.create(quietLog), { error: (fields: unknown) => said.push(fields) })
    await refresh(known, { gapMs: 0 }, { cards, provider, answers, log, goods: null })
    expect((await cards.find(known.digest))!.status).toBe('open')
    expect(await opened.ledger.find(cardKey(known.digest))).toBeNull()
    expect(said).toEqual([{ sku: 'SKU_TOR_MCP_PRO', reason: 'amount_mismatch' }])
  })
})
