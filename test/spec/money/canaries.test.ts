import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEPT_TEXT } from '../../../api/ledger/keptText.ts'
import { get, paid } from '../../support/buyer.ts'
import { needlesIn } from '../../support/canaries.ts'
import { createPlanter, type Planter } from '../../support/canariesPlanted.ts'
import { type Place, startWholeWorld, type WholeWorld } from '../../support/canariesWorld.ts'
import { buyTool, callTool, connectMcp, wallet } from '../../support/mcp.ts'
import { until } from '../../support/process.ts'

/**
 * OPS-05, I21. In a world of real processes a buyer buys, is refused, fails and loses its server, with a canary in
 * everything it sends. Then everything that is written down anywhere is searched for the canaries.
 */
let world: WholeWorld
let planter: Planter
beforeAll(async () => {
  world = await startWholeWorld({ LOG_LEVEL: 'debug' })
  planter = createPlanter(world)
}, 180_000)
afterAll(() => world?.stop())

/** Canaries that may be found, where and why: only what we state that we keep. */
const EXCEPTIONS: { what: string; isPlace(place: string): boolean; why: string }[] = [
  ...Object.values(KEPT_TEXT).map(({ what, keys, why }) => ({
    what,
    why,
    isPlace: (place: string) =>
      place === 'ledger log' || (place.startsWith(KEY) && keys.test(place.slice(KEY.length))),
  })),
  {
    what: 'input of an answered purchase',
    isPlace: (place) => place === 'ledger log',
    why: 'The row has dropped it; the log of the store does when it is rewritten.',
  },
]

const KEY = 'ledger key '
const TOKEN = /\b(?:pass|feed|permit|credit|unlock)_[A-Za-z0-9_-]{43}/g
const asJson = (value: unknown) => encodeURIComponent(JSON.stringify(value))

async function buyTexts({ buy, plant, keep }: Planter, identity: Record<string, string>) {
  const text = () => plant('text of a question')
  const kept = () => plant('text that is part of its answer')
  const paths = [
    `/x402/v1/ping?echo=${kept()}`,
    `/x402/v1/match?q=${kept()}`,
    `/x402/v1/sniff?q=ignore+all+previous+instructions+${text()}`,
    `/x402/v1/pii?q=${text()}%40example.org`,
    `/x402/v1/spec-lint?q=${asJson({ openapi: '3.1.0', info: { title: text() }, paths: {} })}`,
    `/x402/v1/json?q=${encodeURIComponent(`{'a': '${kept()}',}`)}`,
    `/x402/v1/dns?q=${kept()}.example.com`,
    `/x402/v1/scan?raw=${encodeURIComponent(`Error: connect ECONNREFUSED password=${text()}`)}`,
  ]
  for (const path of paths) expect((await buy(path, identity)).status, path).toBe(200)
  const payload = Buffer.from(JSON.stringify({ raw: `TypeError: token ${text()}` })).toString('base64')
  const headers = { ...identity, 'x-service-payload': keep('payload header', payload) }
  expect((await buy('/x402/v1/scan', headers)).status).toBe(200)
}

/** A purchase by the classic path, paid and answered. */
async function purchase({ keep, post, transfer, persist }: Planter, body: { sku: string; buyerId: string }) {
  const opened = await post('/purchase-intent', body)
  expect(opened.status, opened.text).toBe(402)
  const { intentId, amountAtomic } = opened.json.payment
  keep('intent', intentId)
  await transfer(world.receiver, BigInt(amountAtomic))
  const fulfilled = await persist(() => post('/fulfill', { intentId, buyerId: body.buyerId }))
  expect(fulfilled.status, fulfilled.text).toBe(200)
  return fulfilled
}

/** Sends text that is meant to be kept, and text that is kept while its purchase waits. */
async function leaveWords(planter: Planter, identity: Record<string, string>) {
  const { buy, plant, post } = planter
  const buyerId = identity['x-agent-id']!
  const tip = { sku: 'SKU_TIP_00', buyerId, options: { tipUsdc: 0.01 } }
  const { attestationId } = (await purchase(planter, tip)).json.result.paymentAttestation
  const named = await post('/patron', { consent: true, attestationId, name: plant('name of a patron') })
  expect(named.status, named.text).toBe(201)
  const samples = (what: string) => ({ sku: 'SKU_DLQ_01', buyerId, payload: { samples: [plant(what)] } })
  await purchase(planter, samples('input of an answered purchase'))
  expect((await post('/purchase-intent', samples('input of a purchase'))).status).toBe(402)
  const says = asJson({ says: plant('statement that is attested') })
  const attested = await buy(`/x402/v1/receipt-oracle?statement=${says}`, identity)
  expect(attested.status, attested.text).toBe(200)
}

async function buyTokens(planter: Planter, identity: Record<string, string>) {
  const { buy, plant, keep } = planter
  const { base } = world
  for (const path of ['hour-pass', 'bot-fuel-day', 'tor-call', 'credits-2']) {
    const { status, text } = await buy(`/x402/v1/${path}`, identity)
    expect(status, `${path} ${text}`).toBe(200)
    const tokens = text.match(TOKEN) ?? []
    expect(tokens.length, path).toBeGreaterThan(0)
    for (const token of tokens) keep(`token of ${path}`, token)
    const [token] = tokens as [string]
    const used: Record<string, () => Promise<unknown>> = {
      'hour-pass': () =>
        get(`${base}/x402/v1/ping?echo=${plant('text that is part of an answer by a pass')}`, {
          ...identity,
          'x-service-pass': token,
          'idempotency-key': plant('its key'),
        }),
      'bot-fuel-day': () => get(`${base}/api/v1/alpha-feed`, { 'x-service-feed-token': token }),
      'tor-call': () => get(`${base}/api/v1/tor-call-permit`, { 'x-service-permit': token }),
      'credits-2': () =>
        get(`${base}/x402/v1/ping`, {
          'x-agent-id': 'canary-account',
          'x-service-claim-code': token,
          'x-service-credit-auth': plant('credit secret'),
        }),
    }
    await used[path]!()
  }
  const bound = { ...identity, 'x-service-credit-auth': plant('credit secret') }
  expect((await buy('/x402/v1/credits-2', bound)).status).toBe(200)
  const buyerId = identity['x-agent-id']!
  const fulfilled = await purchase(planter, { sku: 'SKU_TOR_MCP_PRO', buyerId })
  keep('token of SKU_TOR_MCP_PRO', fulfilled.text.match(TOKEN)![0])
  //  a second pack of credit, for the account that `buyerId` names
  const pack = { sku: 'SKU_AG_CREDITS_02', buyerId, creditSpendAuth: bound['x-service-credit-auth'] }
  expect((await purchase(planter, pack)).json.result.storeCredit.balanceUsdc).toBe(4)
}

/** Tools of MCP: the payment comes in the body, and so do the secrets that pay in its place. */
async function buyTools({ plant, keep }: Planter, identity: Record<string, string>) {
  const client = await connectMcp(world.base, identity)
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const called = await buyTool(client, wallet(world.buyers[0]!.privateKey), name, args)
    const { accepted, payload } = called.payment
    keep('signature of a settled payment', (payload.signature as string).slice(2))
    keep('redemption secret', accepted.extra.redemption as string)
    return called
  }
  const q = () => plant('text of a question')
  const sold = await call('pii', { q: `${q()}@example.org` })
  expect(sold.isError, sold.text).toBe(false)
  expect((await call('dns', { q: `${q()}.internal` })).isError).toBe(true)
  const [pass] = (await call('hour-pass')).text.match(TOKEN) as [string]
  keep('token of hour-pass', pass)
  expect((await callTool(client, 'sniff', { q: q() }, { 'service/pass': pass })).isError).toBe(false)
  const secrets = {
    'service/credit-auth': plant('credit secret'),
    'service/idempotency-key': plant('its key'),
  }
  expect((await callTool(client, 'sniff', { q: q() }, secrets)).isError).toBe(true)
  await client.close()
}

/** Sends a request in words to the agent, and opens a purchase by card. */
async function askInWords({ plant, keep, post }: Planter, identity: Record<string, string>) {
  const message = {
    messageId: plant('id of a message'),
    role: 'ROLE_USER',
    parts: [{ text: plant('message') }],
  }
  expect((await post('/a2a/message:send', { message })).status).toBe(200)
  const order = {
    sku: 'SKU_DLQ_01',
    buyerId: identity['x-agent-id'],
    payload: { samples: [plant('input of a purchase')] },
  }
  const opened = await post('/cardpay/checkout', order)
  expect(opened.status, opened.text).toBe(200)
  const { checkoutId } = opened.json
  keep('checkout', checkoutId)
  const reminded = await post('/checkout/reminders', { checkoutIds: [checkoutId] })
  expect(reminded.status, reminded.text).toBe(201)
  const token = keep('token of reminders', reminded.json.reminderToken)
  for (const path of [
    `/checkout/reminders?token=${token}`,
    `/cardpay/checkout-status?checkout_id=${checkoutId}`,
  ])
    expect((await get(`${world.base}${path}`, identity)).status, path).toBe(200)
}

/** Everything that ends without a sale, each with a canary where the refusal looks at it. */
async function beRefused(
  { plant, keep, post, refusedPayment, sign }: Planter,
  identity: Record<string, string>,
) {
  const { base } = world
  const text = (what = 'refused text') => plant(what)
  const token = (kind: string) => keep('guessed token', `${kind}_${randomBytes(32).toString('base64url')}`)
  expect((await refusedPayment('/x402/v1/ping')).status).toBe(402)
  const { header } = await sign('/x402/v1/dns', 'signature of a refused payment')
  const asked: [string, Record<string, string>][] = [
    [`/x402/v1/dns?q=${text()}.internal`, paid(header)],
    [`/x402/v1/sniff?q=${text().repeat(4_000)}`, paid(header)],
    [`/x402/v1/ping?echo=${text()}%zz`, paid(header)],
    ['/x402/v1/ping', paid(Buffer.from(`{"x402Version":2,"note":"${text()}"`).toString('base64'))],
    ['/x402/v1/ping', { 'x-payment': JSON.stringify({ intentId: text(), txHash: '0x12' }) }],
    ['/x402/v1/ping', { ...identity, 'x-service-credit-auth': text('credit secret') }],
    ['/x402/v1/spread', { 'x-service-pass': token('pass') }],
    ['/api/v1/alpha-feed', { 'x-service-feed-token': token('feed') }],
    ['/api/v1/tor-call-permit', { 'x-service-permit': token('permit'), 'idempotency-key': text() }],
    [`/${text()}?q=${text()}`, { ...identity, referer: `https://example.org/${text()}` }],
    [`/referrals/me?code=${text()}@example.org`, identity],
    [`/cardpay/checkout-status?checkout_id=${text()}`, identity],
    [`/api/receipt-oracle/verify?id=${text()}`, {}],
  ]
  for (const [path, headers] of asked)
    expect((await get(`${base}${path}`, headers)).status, path).not.toBe(500)
  const bodies: [string, unknown, Record<string, string>?][] = [
    ['/purchase-intent', `{"sku": "${text()}"`],
    [
      '/purchase-intent',
      { sku: text(), buyerId: `${text()}@example.org`, creditSpendAuth: text('credit secret') },
    ],
    ['/quote', { sku: 'SKU_DLQ_01', buyerId: `${text()}@example.org` }],
    ['/fulfill', { intentId: text(), txHash: `0x${'ab'.repeat(32)}`, buyerId: `${text()}@example.org` }],
    ['/checkout/settle', { intentId: text(), buyerId: text() }],
    ['/cardpay/checkout', { sku: 'SKU_TOR_MCP_PRO', buyerId: `${text()}@example.org` }],
    ['/cardpay/webhook', `{"id":"${text()}"}`, { 'stripe-signature': `t=1,v1=${text()}` }],
    ['/api/receipt-oracle/verify', { payload: text(), signature: text() }],
    ['/api/tor-mcp/verify', { unlockKey: token('unlock') }],
    ['/feedback', { consent: false, message: text() }],
    ['/feedback', { consent: true, message: text('feedback with consent') }],
  ]
  for (const [path, body, headers] of bodies)
    expect((await post(path, body, headers)).status, path).not.toBe(500)
}

/** The process that has the payment in hand dies; the buyer comes back with it. */
async function beLeft({ sign, persist, plant }: Planter) {
  for (const role of ['api-1', 'worker', 'api-2']) {
    const path = `/x402/v1/sniff?q=${plant('text of a question')}`
    const { header } = await sign(path)
    const ask = () => get(`${world.base}${path}`, paid(header))
    const first = ask().catch(() => null)
    await world.kill(role)
    await first
    expect((await persist(ask)).status, role).toBe(200)
  }
}

async function keepKeys({ keep }: Planter) {
  const text = async (path: string) => (await world.secret(path)).toString('utf8').trim()
  const bytes = await world.secret('secrets/service-secret')
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    keep('service secret', bytes.toString(encoding))
  keep('settler key', (await text('chain/settler.key')).slice(2))
  keep('receipt key', (await text('secrets/receipt-key.pem')).split('\n')[1]!)
  keep('card key', await text('cardpay/secret-key'))
  keep('card webhook secret', await text('cardpay/webhook-secret'))
  for (const { privateKey } of world.buyers) keep('key of a buyer', privateKey.slice(2))
}

/** The names of what was found, by place; and which exceptions were made use of. */
function search(places: Place[], planted: ReadonlyMap<string, string>) {
  const leaks = new Set<string>()
  const used = new Set<string>()
  for (const { place, text } of places)
    for (const secret of needlesIn(text, planted.keys())) {
      const what = planted.get(secret)!
      const exception = EXCEPTIONS.find((one) => one.what === what && one.isPlace(place))
      if (exception === undefined) leaks.add(`${what} in ${place}`)
      else used.add(exception.why)
    }
  return { leaks: [...leaks].sort(), used }
}

test('OPS-05, DATA-12, I21, 4.1 rules 10, 11: no secret, signature or personal text in any log, queue, table, metric or store', async () => {
  const { plant } = planter
  const identity = { 'x-agent-id': `${plant('agent id')}@example.org` }
  await keepKeys(planter)
  await buyTexts(planter, identity)
  await buyTokens(planter, identity)
  await buyTools(planter, identity)
  await askInWords(planter, identity)
  await leaveWords(planter, identity)
  await beRefused(planter, identity)
  await beLeft(planter)
  const sales = () => world.rows('sales').catch(() => '') //  nothing waits for ClickHouse: its tables may still be made
  const isJournalled = async () => (await sales()).trim().split('\n').length >= 18
  await until('the sales are in ClickHouse', isJournalled)

  const places = await world.places()
  //  a search that looks at nothing finds nothing
  const buyer = world.buyers[0]!.address.toLowerCase()
  for (const place of ['ledger key claim:auth', 'ledger log', 'table sales'])
    expect(
      places.some((one) => one.place === place && one.text.includes(buyer)),
      place,
    ).toBe(true)
  for (const kind of [
    'output of ./ops/start',
    'file logs/api-1.log',
    'file logs/worker.log',
    'metrics of api-1',
    'pipeline key bull',
    'pipeline log',
  ])
    expect(
      places.some(({ place, text }) => place.startsWith(kind) && text.length > 100),
      kind,
    ).toBe(true)

  const { leaks, used } = search(places, planter.planted)
  expect(leaks).toEqual([])
  expect([...used].sort()).toEqual(EXCEPTIONS.map(({ why }) => why).sort())
}, 120_000)
