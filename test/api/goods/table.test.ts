import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../../../api/errors.ts'
import { GOODS } from '../../../api/goods/index.ts'
import {
  someBookRow,
  someCard,
  someEdge,
  someGap,
  someMover,
  someNet,
  someTopic,
} from '../../support/boards.ts'
import { cardsBody, gapsBody, MAX_AGE, moversBody, NOW, portsOver, topicsBody } from './support.ts'

/** Spec 4.1, the table, and 2.3: path, price A or n/a, price B, query, header, SKU. */
const SPEC = [
  ['/x402/v1/ping', '0.01', '0.01', 'echo', '', 'SKU_AG_PING_01'],
  ['/x402/v1/spread', '0.01', '0.001', 'q', '', 'SKU_AG_SPREAD_01'],
  ['/x402/v1/match', '0.05', '0.001', 'q!', '', 'SKU_AG_MATCH_01'],
  ['/x402/v1/bot-fuel', '0.25', '0.25', '', 'x-agent-id', 'SKU_AG_BOT_FUEL_01'],
  ['/x402/v1/bot-fuel-pack', '0.89', '0.89', '', 'x-agent-id', 'SKU_AG_BOT_FUEL_PACK_05'],
  ['/x402/v1/bot-fuel-day', '1.49', '1.49', '', 'x-agent-id', 'SKU_AG_BOT_FUEL_24H'],
  ['/x402/v1/edge', '0.19', '0.19', '', 'x-agent-id', 'SKU_AG_EDGE_01'],
  ['/x402/v1/edge-pack', '0.79', '0.79', '', 'x-agent-id', 'SKU_AG_EDGE_PACK_01'],
  ['/x402/v1/alpha-day', '1.19', '1.19', '', 'x-agent-id', 'SKU_AG_ALPHA_24H'],
  ['/x402/v1/alpha-7d', '3.99', '3.99', '', 'x-agent-id', 'SKU_AG_ALPHA_7D'],
  ['/x402/v1/scan', '0.49', '0.49', 'raw', '', 'SKU_AG_SCAN_01'],
  ['/x402/v1/tor-call', '0.05', '0.05', '', 'x-agent-id', 'SKU_AG_TOR_CALL_01'],
  ['/x402/v1/hour-pass', '0.50', '0.50', '', 'x-agent-id', 'SKU_AG_HOUR_PASS_01'],
  ['/x402/v1/sniff', '0.01', '0.001', 'q!', '', 'SKU_AG_SNIFF_01'],
  ['/x402/v1/pii', '0.02', '0.001', 'q!', '', 'SKU_AG_PII_01'],
  ['/x402/v1/spec-lint', '0.02', '0.001', 'q!', '', 'SKU_AG_SPEC_LINT_01'],
  ['/x402/v1/credits-2', '2', '2', '', 'x-agent-id', 'SKU_AG_CREDITS_02'],
  ['/x402/v1/credits-5', '5', '5', '', 'x-agent-id', 'SKU_AG_CREDITS_05'],
  ['/x402/v1/credits-10', '10', '10', '', 'x-agent-id', 'SKU_AG_CREDITS_10'],
  ['/x402/v1/json', 'n/a', '0.001', 'q!', '', 'SKU_AG_JSON_01'],
  ['/x402/v1/dns', 'n/a', '0.001', 'q!', '', 'SKU_AG_DNS_01'],
  ['/x402/v1/book', 'n/a', '0.001', 'q', '', 'SKU_AG_BOOK_01'],
  ['/x402/v1/net', 'n/a', '0.001', 'q', '', 'SKU_AG_NET_01'],
  ['/x402/v1/move', 'n/a', '0.001', 'q window', '', 'SKU_AG_MOVE_01'],
] as const
/** Headers of ours that the table does not have. */
const ADDED: readonly string[] = ['X-Service-Credit-Auth']

const goodAt = (path: string) => GOODS.find((good) => good.path === path)!
const micro = (usd: string) => BigInt(Math.round(Number(usd) * 1e6))

describe('4.1 the table of paid reads: price A is listed, price B is charged', () => {
  test.each(SPEC)('%s', (path, listed, charged, query, header, sku) => {
    const good = goodAt(path)
    expect(good.sku).toBe(sku)
    expect(good.priceMicroUsdc).toBe(micro(charged))
    expect(good.listPriceMicroUsdc).toBe(micro(listed === 'n/a' ? charged : listed))
    expect(good.parameters.map(({ name, required }) => (required ? `${name}!` : name)).join(' ')).toBe(query)
    const headers = (good.headers ?? []).map(({ name }) => name).filter((name) => !ADDED.includes(name))
    expect(headers.join(' ')).toBe(header)
    expect(good.description.length).toBeLessThan(500)
  })

  test('8: the default spend cap of match is 0.10 USD, and no other read has one', () => {
    expect(goodAt('/x402/v1/match').maxSpendMicroUsdc).toBe(100_000n)
    expect(GOODS.filter((good) => good.maxSpendMicroUsdc !== undefined)).toHaveLength(1)
  })

  test('all of them are sold, and the receipt oracle, which the table leaves out, for 0.10', () => {
    const others = GOODS.filter((good) => !SPEC.some(([path]) => path === good.path))
    expect(others.map(({ sku, priceMicroUsdc }) => [sku, priceMicroUsdc])).toEqual([
      ['SKU_RECEIPT_ORACLE_01', 100_000n],
    ])
    expect(GOODS).toHaveLength(SPEC.length + 1)
  })

  test('no path and no SKU is sold twice', () => {
    expect(new Set(GOODS.map(({ path }) => path)).size).toBe(GOODS.length)
    expect(new Set(GOODS.map(({ sku }) => sku)).size).toBe(GOODS.length)
  })
})

const FIVE = [1, 2, 3, 4, 5]
const BODIES = {
  gaps: gapsBody([someGap()]),
  nets: { rows: [someNet()] },
  edges: { rows: FIVE.map((n) => someEdge({ pairId: `p${n}` })) },
  gapCards: cardsBody(FIVE.map((n) => someCard({ pairId: `p${n}` }))),
  movers: moversBody({ day: [someMover()] }),
  book: { a: [someBookRow()], b: [] },
  topics: topicsBody([someTopic()]),
}
const MARKET = 'spread match bot-fuel bot-fuel-pack edge edge-pack book net move'
  .split(' ')
  .map((name) => `/x402/v1/${name}`)
const answer = (path: string, ports: ReturnType<typeof portsOver>) => {
  const good = goodAt(path)
  return good.answer(good.input.parse(path === '/x402/v1/match' ? { q: 'fed' } : {}), ports)
}

describe.each(MARKET)('%s says how old its data is, or is not sold (I17, VEN-09)', (path) => {
  test.each([
    ['both fresh to the millisecond', { a: NOW - MAX_AGE, b: NOW - MAX_AGE }],
    ['fresh now', { a: NOW, b: NOW }],
    ['each venue with its own', { a: NOW - 2_000, b: NOW - 50_000 }],
  ])('%s: sold with snapshot, as-of, age and recorded', (_, asOfMs) => {
    expect(answer(path, portsOver(BODIES, { asOfMs, version: 77 }))).toMatchObject({
      snapshotVersion: 77,
      result: {
        snapshot: { version: 77 },
        asOf: { a: new Date(asOfMs.a).toISOString(), b: new Date(asOfMs.b).toISOString() },
        ageMs: { a: NOW - asOfMs.a, b: NOW - asOfMs.b },
        recorded: false,
      },
    })
  })

  test.each([
    ['venue A a millisecond too old', { a: NOW - MAX_AGE - 1, b: NOW }, 'stale_data'],
    ['venue B a millisecond too old', { a: NOW, b: NOW - MAX_AGE - 1 }, 'stale_data'],
    ['venue B never read', { a: NOW, b: null }, 'no_data'],
  ])('%s: %s', (_, asOfMs, problem) => {
    expect(answer(path, portsOver(BODIES, { asOfMs }))).toMatchObject({ problem })
  })

  test('no board yet: no_data', () => {
    expect(answer(path, portsOver({}))).toMatchObject({ problem: 'no_data' })
  })
})

test('every refusal of a market read for want of data is a 503 that may be tried again', () => {
  for (const code of ['no_data', 'stale_data', 'not_enough_data'] as const)
    expect(PROBLEMS[code]).toMatchObject({ status: 503, retryable: true })
})
