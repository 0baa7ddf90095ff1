import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isProblem } from '../../../api/errors.ts'
import { agree, PRICE_MAX_AGE_MS } from '../../../api/rails/prices/agree.ts'
import { createPrices, type Prices } from '../../../api/rails/prices/prices.ts'
import { bitstamp, coinbase, type Price } from '../../../api/rails/prices/source.ts'
import { atomicFor, pricedQuote, stableQuote } from '../../../api/rails/quote.ts'
import { type JsonServer, serveJson } from '../../../ops/sandbox/jsonServer.ts'
import { quietLog } from '../../support/ledger.ts'
import { type RailWorld, startRailWorld } from '../../support/railWorld.ts'

const NOW = 1_800_000_000_000
const price = (usd: number, ageMs = 0): Price => ({ usdE8: BigInt(Math.round(usd * 1e8)), atMs: NOW - ageMs })

describe('RAIL-10: two sources must agree within 2 % and be fresh', () => {
  test.each([
    ['the same', price(100), price(100), 100],
    ['2 % apart: the lower one', price(102), price(100), 100],
    ['the other way round', price(100), price(102), 100],
  ])('%s', (_, a, b, usd) => {
    expect(agree([a, b], NOW, null)).toBe(BigInt(usd) * 10n ** 8n)
  })

  test.each([
    ['a hair more than 2 % apart', price(102.000001), price(100), 'apart'],
    ['5 % apart', price(100), price(105), 'apart'],
    ['ten times', price(1_000), price(100), 'apart'],
    ['one is missing', price(100), null, 'missing'],
    ['both are missing', null, null, 'missing'],
    ['one is as old as allowed and a moment more', price(100), price(100, PRICE_MAX_AGE_MS + 1), 'stale'],
    ['one is from the future', price(100, -PRICE_MAX_AGE_MS - 1), price(100), 'stale'],
  ])('%s: none', (_, a, b, reason) => expect(agree([a, b], NOW, null)).toBe(reason))

  test('as old as allowed still counts', () => {
    expect(agree([price(100), price(100, PRICE_MAX_AGE_MS)], NOW, null)).toBe(100n * 10n ** 8n)
  })

  test.each([
    ['both ten times of what was accepted a minute ago', 1_000, 60_000, 'jumped'],
    ['both a tenth', 10, 60_000, 'jumped'],
    ['both a quarter more', 125, 60_000, null],
    ['both more than a quarter more', 125.01, 60_000, 'jumped'],
    ['ten times, but that was a quarter of an hour ago', 1_000, 900_000, null],
  ])('%s', (_, usd, agoMs, reason) => {
    const agreed = agree([price(usd), price(usd)], NOW, price(100, agoMs))
    expect(typeof agreed === 'string' ? agreed : null).toBe(reason)
  })
})

describe('a price is read digit by digit, and what is none is none', () => {
  const time = '2026-05-01T10:00:00.123456Z'
  const [a, b] = [
    (text: unknown) => coinbase.read({ price: text, time }),
    (text: unknown) => bitstamp.read({ last: text, timestamp: '1777629600' }),
  ]

  test.each([
    ['64000', 6_400_000_000_000n],
    ['64000.12', 6_400_012_000_000n],
    ['0.00000001', 1n],
    ['0.123456789', 12_345_678n],
  ])('%s', (text, usdE8) => {
    expect([a(text)?.usdE8, b(text)?.usdE8]).toEqual([usdE8, usdE8])
  })

  test.each([
    '0',
    '0.000000001',
    '-1',
    '',
    'NaN',
    'Infinity',
    '1e5',
    '1,000',
    ' 1',
    '1.',
    64_000,
    null,
    undefined,
  ])('%s is none', (text) => expect([a(text), b(text)]).toEqual([null, null]))

  test('times are those of the exchange', () => {
    expect(a('1')?.atMs).toBe(Date.parse('2026-05-01T10:00:00.123Z'))
    expect(coinbase.read({ price: '1', time: '2026-05-01T12:00:00.123+02:00' })).toEqual(a('1'))
    expect(b('1')?.atMs).toBe(1_777_629_600_000)
    expect(coinbase.read({ price: '1', time: 'yesterday' })).toBeNull()
    expect(bitstamp.read({ last: '1', timestamp: 'x' })).toBeNull()
  })
})

describe('RAIL-05: amounts are exact far beyond 2^53', () => {
  test('0.25 USD at 3,000 USD is so many wei', () => {
    expect(atomicFor(250_000n, 300_000_000_000n, 18)).toBe(83_333_333_333_334n)
  })

  test('property: never less than the price, and by less than one unit more', () => {
    const amount = fc.bigInt(1n, 10n ** 15n)
    const usdE8 = fc.bigInt(1n, 10n ** 18n)
    fc.assert(
      fc.property(amount, usdE8, fc.constantFrom(6, 8, 9, 18), (micro, each, decimals) => {
        const atomic = atomicFor(micro, each, decimals)
        const worth = (units: bigint) => units * each * 10n ** 6n //  in the scale of `owed`
        const owed = micro * 10n ** BigInt(decimals) * 10n ** 8n
        expect(worth(atomic)).toBeGreaterThanOrEqual(owed)
        expect(worth(atomic - 1n)).toBeLessThan(owed)
      }),
    )
  })

  test('a stable coin is one to one in its own decimals', () => {
    expect(stableQuote(2_490_000n, 6, NOW)).toEqual({
      atomic: 2_490_000n,
      validUntilMs: NOW + 900_000,
      source: null,
    })
    expect(stableQuote(1n, 18, NOW).atomic).toBe(10n ** 12n)
  })
})

describe('RAIL-10 through the exchanges’ own servers', () => {
  let world: RailWorld
  beforeAll(async () => {
    world = await startRailWorld()
  })
  afterAll(() => world?.stop())
  const fine = { usd: '150.00', ageS: 0, status: 200 }
  const quote = async (id: 'sol' | 'btc', a: object, b: object) => {
    const asset = id.toUpperCase()
    await world.prices.change({ source: 'a', asset, ...fine, ...a })
    await world.prices.change({ source: 'b', asset, ...fine, ...b })
    return world.rails().find(id)!.quote(1_500_000n)
  }

  test('agreed: quoted, and says by whom', async () => {
    expect(await quote('sol', {}, {})).toMatchObject({
      atomic: 10_000_000n,
      source: 'coinbase-exchange, bitstamp',
    })
  })

  test.each([
    ['stale', {}, { ageS: 121 }],
    ['zero', { usd: '0' }, {}],
    ['negative', {}, { usd: '-150' }],
    ['a tenfold spike', { usd: '1500' }, {}],
    ['5 % apart', { usd: '157.5' }, {}],
    ['an exchange is down', {}, { status: 503 }],
  ])('%s: refused, to be tried again', async (_, a, b) => {
    expect(await quote('sol', a, b)).toMatchObject({ problem: 'price_unavailable', retryAfterS: 30 })
  })

  test('one coin’s trouble is not another’s', async () => {
    expect(await quote('sol', { usd: '0' }, {})).toMatchObject({ problem: 'price_unavailable' })
    expect(await quote('btc', {}, {})).toMatchObject({ atomic: expect.any(BigInt) })
  })

  test('many quotes ask the exchanges once', async () => {
    await world.prices.change({ source: 'a', asset: 'SOL', ...fine })
    await world.prices.change({ source: 'b', asset: 'SOL', ...fine })
    const sol = world.rails().find('sol')!
    expect(await sol.quote(1_500_000n)).toMatchObject({ atomic: 10_000_000n })
    await world.prices.change({ source: 'a', asset: 'SOL', usd: '300' })
    expect(await sol.quote(1_500_000n)).toMatchObject({ atomic: 10_000_000n })
  })
})

describe('RAIL-10 from one question to the next', () => {
  const KEPT_MS = 10_000
  const WINDOW_MS = 900_000
  let nowMs: number
  let ageMs: number //  age of the exchanges' prices
  let usd: Record<string, number>
  let prices: Prices
  const servers: JsonServer[] = []
  beforeEach(async () => {
    ;[nowMs, ageMs, usd] = [NOW, 0, { BTC: 60_000, SOL: 100 }]
    const told = (asset: string) => ({ text: String(usd[asset.toUpperCase()]), atMs: nowMs - ageMs })
    const exchange = async (answer: (path: string) => object | null) => {
      const server = await serveJson({
        host: '127.0.0.1',
        port: 0,
        answer: ({ path }) => {
          const json = answer(path)
          return json === null ? { status: 404, text: 'not found' } : { status: 200, json }
        },
      })
      servers.push(server)
      return `${server.url}/v1/`
    }
    const [urlA, urlB] = await Promise.all([
      exchange((path) => {
        const asset = /^\/v1\/products\/(\w+)-USD\/ticker$/.exec(path)?.[1]
        if (asset === undefined) return null
        const { text, atMs } = told(asset)
        return { price: text, time: new Date(atMs).toISOString() }
      }),
      exchange((path) => {
        const asset = /^\/v1\/ticker\/(\w+)usd\/$/.exec(path)?.[1]
        if (asset === undefined) return null
        const { text, atMs } = told(asset)
        return { last: text, timestamp: String(atMs / 1_000) }
      }),
    ])
    prices = createPrices({ urlA, urlB, clock: { nowMs: () => nowMs }, log: quietLog })
  })
  afterEach(async () => {
    await prices.close()
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })
  const asked = async (change: Record<string, number> = {}, asset: 'BTC' | 'SOL' = 'SOL') => {
    Object.assign(usd, change)
    const price = await prices.priceOf(asset)
    return isProblem(price) ? price.detail : Number(price / 10n ** 8n)
  }

  test('what was told is kept for ten seconds, and no longer where the clock is set back', async () => {
    expect(await asked()).toBe(100)
    nowMs += KEPT_MS - 1
    expect(await asked({ SOL: 101 })).toBe(100)
    nowMs += 1
    expect(await asked()).toBe(101)
    nowMs -= KEPT_MS
    expect(await asked({ SOL: 102 })).toBe(102)
  })

  test('a jump is held against what was accepted last, for so long since then: what was refused is no measure', async () => {
    ageMs = PRICE_MAX_AGE_MS //  the exchanges' own times do not say when a price was accepted
    expect(await asked()).toBe(100)
    nowMs += WINDOW_MS / 2
    expect(await asked({ SOL: 130 })).toBe('SOL: prices are jumped.')
    nowMs = NOW + WINDOW_MS - 1_000
    expect(await asked()).toBe('SOL: prices are jumped.')
    nowMs = NOW + WINDOW_MS + KEPT_MS
    expect(await asked()).toBe(130)
  })

  test('and against its own coin’s', async () => {
    expect([await asked({}, 'BTC'), await asked()]).toEqual([60_000, 100])
  })

  test('a quote holds for a quarter of an hour', async () => {
    const asset = { asset: 'SOL', decimals: 9, smallest: 1n } as const
    const quote = await pricedQuote(1_000_000n, asset, { prices, clock: { nowMs: () => nowMs } })
    expect(quote).toMatchObject({ atomic: 10_000_000n, validUntilMs: NOW + 900_000 })
  })
})
