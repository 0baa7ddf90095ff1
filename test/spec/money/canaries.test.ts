import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { get, paid } from '../../support/buyer.ts'
import { needlesIn } from '../../support/canaries.ts'
import { createPlanter, type Planter } from '../../support/canariesPlanted.ts'
import { type Place, startWholeWorld, type WholeWorld } from '../../support/canariesWorld.ts'
import { until } from '../../support/process.ts'

/**
 * OPS-05, I21. One world of real processes; a buyer who buys, is refused, fails and is left by a dying process, with a
 * string of its own in everything he sends. Then everything that is written down anywhere is searched for them.
 */
let world: WholeWorld
let planter: Planter
beforeAll(async () => {
  world = await startWholeWorld({ LOG_LEVEL: 'debug' })
  planter = createPlanter(world)
}, 180_000)
afterAll(() => world?.stop())

/** What may be found where, and why. */
const EXCEPTIONS: { what: RegExp; place: RegExp; why: string }[] = [
  {
    what: /^text that is part of its answer$/,
    place: /^ledger (key claim:auth$|log$)/,
    why: 'An answer is kept for a day (ANSWER_TTL_MS) so that a buyer who lost it can fetch it again; what it repeats of the question is in it.',
  },
  {
    what: /^signature of a settled payment$/,
    place: /^ledger log$/,
    why: 'The settler needs the signature until the payment is settled, also after a crash; the claim then drops it, the log when it is rewritten. By then it stands on the chain.',
  },
  {
    what: /^feedback with consent$/,
    place: /^ledger (key community:feedback$|log$)/,
    why: 'Its sender asked for it to be kept.',
  },
  {
    what: /^agent id$/,
    place: /^ledger (key (intent|claim:auth)$|log$)/,
    why: 'An intent is fulfilled for the buyerId it was opened with and for nobody else; the answer of bought credit names its account. Both are forgotten with the intent and the answer.',
  },
]

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

async function buyTokens(
  { buy, plant, keep, post, transfer, persist }: Planter,
  identity: Record<string, string>,
) {
  const { base, receiver } = world
  for (const path of ['hour-pass', 'bot-fuel-day', 'tor-call', 'credits-2']) {
    const { status, text } = await buy(`/x402/v1/${path}`, identity)
    expect(status, `${path} ${text}`).toBe(200)
    const tokens = text.match(TOKEN) ?? []
    expect(tokens.length, path).toBeGreaterThan(0)
    for (const token of tokens) keep(`token of ${path}`, token)
    const [token] = tokens as [string]
    const used: Record<string, () => Promise<unknown>> = {
      'hour-pass': () => get(`${base}/x402/v1/spread`, { ...identity, 'x-service-pass': token }),
      'bot-fuel-day': () => get(`${base}/api/v1/alpha-feed`, { 'x-service-feed-token': token }),
      'tor-call': () => get(`${base}/api/v1/tor-call-permit`, { 'x-service-permit': token }),
      'credits-2': () =>
        get(`${base}/x402/v1/ping`, {
          ...{ 'x-agent-id': 'canary-account', 'x-service-claim-code': token },
          'x-service-credit-auth': plant('credit secret'),
        }),
    }
    await used[path]!()
  }
  const bound = { ...identity, 'x-service-credit-auth': plant('credit secret') }
  expect((await buy('/x402/v1/credits-2', bound)).status).toBe(200)
  const buyerId = identity['x-agent-id']!
  const opened = await post('/purchase-intent', { sku: 'SKU_TOR_MCP_PRO', buyerId })
  expect(opened.status).toBe(402)
  const { intentId, amountAtomic } = opened.json.payment
  keep('intent', intentId)
  await transfer(receiver, BigInt(amountAtomic))
  const fulfilled = await persist(() => post('/fulfill', { intentId, buyerId }))
  expect(fulfilled.status, fulfilled.text).toBe(200)
  keep('token of SKU_TOR_MCP_PRO', fulfilled.text.match(TOKEN)![0])
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
      const exception = EXCEPTIONS.find((one) => one.what.test(what) && one.place.test(place))
      if (exception === undefined) leaks.add(`${what} in ${place}`)
      else used.add(exception.why)
    }
  return { leaks: [...leaks].sort(), used }
}

test('OPS-05, I21, 4.1 rules 10, 11: no secret, signature or personal text in any log, queue, table, metric or store', async () => {
  const { plant } = planter
  const identity = { 'x-agent-id': `${plant('agent id')}@example.org` }
  await keepKeys(planter)
  await buyTexts(planter, identity)
  await buyTokens(planter, identity)
  await beRefused(planter, identity)
  await beLeft(planter)
  const isJournalled = async () => (await world.rows('sales')).trim().split('\n').length >= 16
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
