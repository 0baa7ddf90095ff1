import { describe, expect, test } from 'vitest'
import { eventA, mapOne, marketA, readEventsA, SEEN_MS } from '../../support/rows.ts'

const map = (market: Record<string, unknown>, event: Record<string, unknown> = {}) =>
  mapOne(readEventsA([eventA([market], event)]))
const quote = (fields: Record<string, unknown>) => {
  const row = map(marketA(fields))
  if (typeof row === 'string') throw new Error(`refused: ${row}`)
  return row.quote
}
const market = (fields: Record<string, unknown>, event: Record<string, unknown> = {}) => {
  const row = map(marketA(fields), event)
  if (typeof row === 'string') throw new Error(`refused: ${row}`)
  return row.market
}
const without = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, undefined])) as Record<string, unknown>

describe('wire.md trap 1: a figure venue A leaves out is 0, and 0 on a side of the book is no side', () => {
  test('all figures absent', () => {
    const names = ['bestBid', 'bestAsk', 'lastTradePrice', 'oneDayPriceChange', 'volume24hr']
    expect(quote(without(...names))).toMatchObject({
      bidBps: null,
      askBps: null,
      lastBps: null,
      changeHourBps: 0,
      changeDayBps: 0,
      changeWeekBps: 0,
      volume24h: 0,
    })
  })
  test.each([
    [{ bestBid: 0 }, { bidBps: null }],
    [{ bestBid: 0.001 }, { bidBps: 10 }],
    [
      { bestBid: 0.999, bestAsk: 1 },
      { bidBps: 9990, askBps: null },
    ], // an empty ask side reads 1 [seen]
    [{ bestBid: 1 }, { bidBps: null }], // nobody bids all that can be won
    [{ bestAsk: 0.9999 }, { askBps: 9999 }],
    [{ lastTradePrice: 1 }, { lastBps: 10_000 }],
    [{ lastTradePrice: 0 }, { lastBps: null }],
  ])('%j', (fields, expected) => {
    expect(quote(fields)).toMatchObject(expected)
  })
})

describe('VEN-06: the prices of yes and no make a dollar; a row that contradicts itself has none', () => {
  test.each([
    '["0.43", "0.57"]',
    '["0.0005","0.9995"]',
    '["1", "0"]',
    '["0", "0"]', //         no price yet [seen]
    '["0.3333","0.6660"]', // each rounded by itself
    '["0.544","0.455"]', //   off by as much as two roundings can be, below …
    '["0.5","0.499"]',
    '["0.544","0.457"]', //   … and above a dollar
    '["0.2","0.801"]',
    'no list',
    undefined,
    null,
  ])('sold: %s', (outcomePrices) => {
    expect(quote({ outcomePrices }).bidBps).toBe(4200)
  })
  test.each([
    '["0.43", "0.60"]',
    '["0.43","0.43"]',
    '["0.43", "0"]',
    '["1","1"]',
    '["0.5", "0.498"]',
    '["0.544", "0.454999"]',
    '["0.2", "0.801001"]',
  ])('refused: %s', (outcomePrices) => {
    expect(map(marketA({ outcomePrices }))).toBe('bad_price')
  })
})

describe('changes of venue A come to whole basis points', () => {
  test.each([
    [0.0285, 285],
    [-0.0285, -285],
    [0.00005, 1], //  half a point moves away from zero, up as down
    [-0.00005, -1],
    [-0.00015, -2],
    [-0.00004, 0],
    [1, 10_000],
    [-1, -10_000],
  ])('%d: %d', (dollars, bps) => {
    const changed = quote({
      oneHourPriceChange: dollars,
      oneDayPriceChange: dollars,
      oneWeekPriceChange: dollars,
    })
    expect(changed).toMatchObject({ changeHourBps: bps, changeDayBps: bps, changeWeekBps: bps })
  })
  test('each window has its own', () => {
    const changed = quote({ oneHourPriceChange: 0.01, oneDayPriceChange: 0.02, oneWeekPriceChange: 0.03 })
    expect(changed).toMatchObject({ changeHourBps: 100, changeDayBps: 200, changeWeekBps: 300 })
  })
})

describe('VEN-05: a price outside its bounds or of another type drops the row', () => {
  test.each(['bestBid', 'bestAsk', 'lastTradePrice'])('%s', (name) => {
    for (const value of [-0.01, 1.01, 45, '0.5', null, true, {}, []])
      expect(map(marketA({ [name]: value }))).toBe('bad_price')
    for (const value of [1e-20, 0.1234567, 0.00000001])
      expect(map(marketA({ [name]: value }))).toBe('price_too_fine')
    for (const value of [0, 1, 0.5, 0.001]) expect(map(marketA({ [name]: value }))).toHaveProperty('quote')
  })
  test.each([
    [{ oneDayPriceChange: 1.01 }, 'bad_change'],
    [{ oneHourPriceChange: '0.1' }, 'bad_change'],
    [{ volume24hr: -1 }, 'bad_volume'],
    [{ volume24hr: '12' }, 'bad_volume'],
    [{ volume24hr: 1e12 + 1 }, 'bad_volume'],
    [{ volume24hr: 1e300 }, 'bad_volume'],
    [{ question: '' }, 'bad_title'],
    [{ question: '   ' }, 'bad_title'],
    [{ outcomes: '["A","B","C"]' }, 'not_binary'],
    [{ outcomes: 'Yes,No' }, 'not_binary'],
    [{ outcomes: ['Yes', 'No'] }, 'not_binary'],
    [{ id: 540816 }, 'bad_id'],
    [{ id: 'a|b' }, 'bad_id'],
    [{ id: '' }, 'bad_id'],
    [{ endDate: 5 }, 'bad_row'],
  ])('%j: %s', (fields, drop) => {
    expect(map(marketA(fields))).toBe(drop)
  })
  test('a price between two bps is rounded away from the mid, never towards a better price', () => {
    expect(quote({ bestBid: 0.12345, bestAsk: 0.12355 })).toMatchObject({ bidBps: 1234, askBps: 1236 })
  })
  test('a volume as large as the archive takes is one', () => {
    expect(quote({ volume24hr: 1e12 })).toMatchObject({ volume24h: 1e12 })
  })
  test('binary noise is not a finer price', () => {
    expect(quote({ bestBid: 0.1 + 0.2 })).toMatchObject({ bidBps: 3000 })
  })
})

describe('wire.md 1.4: tradable = active, not closed, accepting orders, with an order book', () => {
  test.each([
    [{ active: false }],
    [{ closed: true }],
    [{ acceptingOrders: false }],
    [{ enableOrderBook: false }],
    [{ acceptingOrders: undefined }],
    [{ closed: undefined }],
  ])('not with %j', (fields) => {
    expect(map(marketA(fields))).toBe('not_tradable')
  })
})

describe('the yes side is outcome 0', () => {
  test.each([
    ['["Yes", "No"]', null, null],
    ['["yes","no"]', null, null],
    ['["Norway", "England"]', 'Norway', 'England'],
    ['["Up", "Down"]', 'Up', 'Down'],
    ['["Yes", "Draw"]', 'Yes', 'Draw'],
  ])('%s', (outcomes, yesMeans, noMeans) => {
    expect(market({ outcomes })).toMatchObject({ yesMeans, noMeans })
  })
  test('its token is the first one, kept as text', () => {
    expect(market({}).tokenId).toBe(
      '65193234666628291664907888364936366210889305490897648116746073820519263548476',
    )
  })
  test.each([[undefined], ['[]'], ['[7]'], ['no list'], ['["0x12"]']])('no token from %j', (clobTokenIds) => {
    expect(market({ clobTokenIds }).tokenId).toBeNull()
  })
})

describe('placeholders are flagged: wire.md 1.3', () => {
  test.each([
    [{ groupItemTitle: 'Person J' }, true],
    [{ groupItemTitle: 'Candidate AB' }, true],
    [{ groupItemTitle: 'Other' }, true],
    [{ negRiskOther: true }, true],
    [{ question: 'Will Person J win the election?' }, true],
    [{ groupItemTitle: 'Team WE', question: 'LoL: Team WE vs LGD Gaming' }, false],
    [{ groupItemTitle: 'Florida Panthers' }, false],
    [{ groupItemTitle: 'Another Round' }, true],
    [{}, false],
  ])('%j: %s', (fields, placeholder) => {
    expect(market(fields).placeholder).toBe(placeholder)
  })
})

describe('at most one market of an event resolves yes: wire.md 1.3', () => {
  test.each([
    ['said by the market', { negRisk: true }, {}, true],
    ['said by the event', {}, { negRisk: true }, true],
    ['said by the event otherwise', {}, { enableNegRisk: true }, true],
    ['said by nobody', { negRisk: false }, { negRisk: false }, false],
  ])('%s: %j %j', (_, fields, event, exclusive) => {
    expect(market(fields, { enableNegRisk: false, ...event }).exclusive).toBe(exclusive)
  })
})

describe('VEN-14: the address is a template of ours, the slug one encoded segment of it', () => {
  test.each([
    ['fed-decision-in-december', 'https://polymarket.com/event/fed-decision-in-december'],
    ['../../x', 'https://polymarket.com/event/..%2F..%2Fx'],
    ['..', 'https://polymarket.com/'],
    ['.', 'https://polymarket.com/'],
    ['', 'https://polymarket.com/'],
    ['javascript:alert(1)', 'https://polymarket.com/event/javascript%3Aalert(1)'],
    ['@evil.example/', 'https://polymarket.com/event/%40evil.example%2F'],
    ['a?b#c', 'https://polymarket.com/event/a%3Fb%23c'],
    ['\ud800', 'https://polymarket.com/event/%EF%BF%BD'],
  ])('%j', (slug, url) => {
    const built = market({}, { slug }).url
    expect(built).toBe(url)
    expect(new URL(built).origin).toBe('https://polymarket.com')
  })
})

describe('fees: wire.md 3.1', () => {
  test.each([
    [{ feesEnabled: true, feeSchedule: { rate: 0.05, exponent: 1 } }, 0.05, false],
    [{ feesEnabled: true, feeSchedule: { rate: 'x' } }, 0.07, true],
    [{ feesEnabled: true, feeSchedule: { rate: -0.05, exponent: 1 } }, 0.07, true],
    [{ feesEnabled: true, feeSchedule: { rate: 5, exponent: 1 } }, 0.07, true], // percent for a share
    [{ feesEnabled: true, feeSchedule: { rate: 0.05, exponent: 0 } }, 0.07, true],
    [{ feeSchedule: { rate: 0.04, exponent: 1 } }, 0.04, false],
  ])('%j', (fields, rate, flagged) => {
    expect(market(fields).fees).toEqual({ rate, exponent: 1, rounding: 'a_five_decimals', flagged })
  })
  test.each([
    [{ feesEnabled: false, feeSchedule: { rate: 0.05, exponent: 1 } }],
    [{ feesEnabled: true }],
    [{ feesEnabled: true, feeSchedule: null }],
    [{ feesEnabled: true, feeSchedule: { rate: 0, exponent: 1 } }],
    [{ feesEnabled: false }],
    [{}],
    [{ feesEnabled: null, feeSchedule: null }],
  ])('none with %j', (fields) => {
    expect(market(fields).fees).toBeNull()
  })
})

describe('both clocks are kept', () => {
  test('updatedAt is the venue’s, the arrival ours', () => {
    expect(quote({})).toMatchObject({ venueMs: Date.parse('2026-08-22T01:12:20.5Z'), seenMs: SEEN_MS })
    expect(quote({ updatedAt: undefined }).venueMs).toBeNull()
    expect(quote({ updatedAt: '2026-08-22T01:12:20' }).venueMs).toBeNull()
  })
})

describe('VEN-13: text is data, cut and valid', () => {
  test('a title of ten kilobytes, a lone surrogate, markup', () => {
    const title = `<b onclick="x">\u202e${'é'.repeat(10_000)}`
    expect(market({ question: title }).title).toHaveLength(500)
    expect(market({ question: `${'x'.repeat(499)}😀` }).title).toBe('x'.repeat(499))
    expect(market({ question: 'a\ud800b' }).title).toBe('a\ufffdb')
    expect(market({ description: 'r'.repeat(20_000) }).rules).toHaveLength(8_000)
  })
  test('a category, which is shown as it is, is one line of what prints', () => {
    expect(market({}, { category: ' Pol\u202eitics\u0000\n\u200b now ' }).category).toBe('Pol itics now')
    expect(market({}, { category: '\u202e' }).category).toBeNull()
  })
})

describe('an equal fingerprint means an equal row', () => {
  const fingerprint = (fields: Record<string, unknown>, event: Record<string, unknown> = {}) =>
    readEventsA([eventA([marketA(fields)], event)]).map(({ figures, text }) => `${figures} ${text}`)[0]!
  test('only the venue’s clock and what we do not read may differ', () => {
    const same = fingerprint({})
    expect(fingerprint({ updatedAt: '2026-08-22T02:00:00Z', liquidity: '12', spread: 0.1 })).toBe(same)
    const others = [
      fingerprint({ bestBid: 0.41 }),
      fingerprint({ bestBid: '0.42' }),
      fingerprint({ bestBid: undefined }),
      fingerprint({ volume24hr: 1 }),
      fingerprint({ description: 'new rules' }),
      fingerprint({ slug: 'fed-214' }),
      fingerprint({ feeSchedule: { rate: 0.04 } }),
      fingerprint({}, { title: 'x' }),
      fingerprint({}, { tags: [] }),
      fingerprint({}, { slug: 'y' }),
    ]
    expect(new Set([same, ...others]).size).toBe(others.length + 1)
  })
})

describe('an event without a usable id spoils its markets and nothing else', () => {
  test('drops', () => {
    const rows = readEventsA([null, 7, eventA([marketA()], { id: 12 }), eventA([marketA()])])
    expect(rows.map((row) => row.drop)).toEqual(['bad_event', 'bad_event', 'bad_event', null])
  })
})

test('when a market opens and closes, and when its game starts, are three instants of the row; none is made up', () => {
  const [startDate, endDate] = ['2026-11-01T10:00:00Z', '2026-12-09T19:00:00Z']
  expect(market({ startDate, endDate, gameStartTime: '2026-12-09 17:00:00+00' })).toMatchObject({
    openMs: Date.parse(startDate),
    closeMs: Date.parse(endDate),
    gameMs: Date.parse('2026-12-09T17:00:00Z'),
    expectedMs: null,
  })
  expect(market({ startDate, endDate: undefined, gameStartTime: undefined })).toMatchObject({
    openMs: Date.parse(startDate),
    closeMs: null,
    gameMs: null,
  })
})
