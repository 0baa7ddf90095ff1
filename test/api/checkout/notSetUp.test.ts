import { afterAll, beforeAll, expect, test } from 'vitest'
import { digestOfCheckout } from '../../../api/checkout/open.ts'
import { type CheckoutPorts, checkoutRoutes } from '../../../api/checkout/routes.ts'
import { createRouter } from '../../../api/http/router.ts'
import { type Server, serveHttp } from '../../../api/http/server.ts'
import { cardKey } from '../../../api/ledger/cards.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { realClock } from '../../../ops/clock.ts'
import { DAY } from '../../../ops/units.ts'
import { get, rawRequest } from '../../support/buyer.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { newKey, ringOf } from '../receipts/keys.ts'
import { answers, boards, openTill, type Till } from './till.ts'

/** I4: the operator removes the provider's keys while checkouts are open there. */
let till: Till
const servers: Server[] = []
let [before, after] = ['', '']
beforeAll(async () => {
  till = await openTill()
  const receiptKey = newKey()
  const { opened, cards, provider } = till
  const others: Omit<CheckoutPorts, 'provider'> = {
    cards,
    ledger: opened.ledger,
    credits: createCreditLedger(opened.redis),
    goods: boards(7),
    answers: { ...answers, receiptKey, receiptKeys: ringOf(receiptKey) },
    finality: { reached: async () => true },
    faultPoint: () => {},
    clock: realClock,
    answerTtlMs: DAY,
    log: quietLog,
  }
  for (const card of [{ provider, readEvent: () => null }, null]) {
    const handler = createRouter(checkoutRoutes(card, others))
    servers.push(await serveHttp({ host: '127.0.0.1', port: 0, handler, log: quietLog }))
  }
  ;[before, after] = servers.map(({ port }) => `http://127.0.0.1:${port}`) as [string, string]
})
afterAll(async () => {
  for (const server of servers) await server.close()
  await till?.close()
})

const open = (base: string) =>
  rawRequest(base, {
    path: '/cardpay/checkout',
    method: 'POST',
    body: JSON.stringify({ sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }),
  })
const statusOf = (base: string, checkoutId: string) =>
  get(`${base}/cardpay/checkout-status?checkout_id=${checkoutId}`)

const buy = async () => {
  const { checkoutId, checkoutUrl } = (await open(before)).json
  till.till.act(checkoutUrl.slice(checkoutUrl.lastIndexOf('/') + 1), 'pay')
  const bought = await until('it is paid', async () => {
    const { json } = await statusOf(before, checkoutId)
    return json.status === 'paid' ? json : null
  })
  return { checkoutId, bought }
}

test('what was bought is shown', async () => {
  const { checkoutId, bought } = await buy()
  expect((await statusOf(after, checkoutId)).json).toEqual(bought)
})

test('what was bought so long ago that its answer is forgotten: said so, and not that it is being drawn', async () => {
  const { checkoutId } = await buy()
  await till.opened.redis.del(KEYS.claim(cardKey(digestOfCheckout(checkoutId))))
  for (const base of [before, after]) {
    const { status, json } = await statusOf(base, checkoutId)
    expect([status, json.code]).toEqual([410, 'answer_expired'])
  }
})

test('who may have paid is told that it is not lost, and not to pay from a wallet', async () => {
  const { checkoutId } = (await open(before)).json
  const { status, json } = await statusOf(after, checkoutId)
  expect([status, json.code]).toEqual([503, 'card_provider_unavailable'])
})

test('nothing new is opened, and nothing else is known', async () => {
  const asked = [`checkout_${'A'.repeat(22)}`, 'none', ''].map((checkoutId) => statusOf(after, checkoutId))
  for (const { status, json } of await Promise.all([open(after), ...asked]))
    expect([status, json.code]).toEqual([503, 'card_checkout_off'])
})
