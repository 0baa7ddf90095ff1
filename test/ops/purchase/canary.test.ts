import { encodePaymentRequiredHeader } from '@x402/core/http'
import { describe, expect, test } from 'vitest'
import { endOf, endsAll, type Look, looksAt } from '../../../ops/purchase/canary.ts'
import type { KeptSale } from '../../../ops/purchase/kept/sales.ts'
import type { Service } from '../../../ops/purchase/listing.ts'
import { readExampleInput } from '../../../ops/purchase/wire.ts'
import { DAY } from '../../../ops/units.ts'

const BASE = 'https://data.example.com'
const NOW = Date.parse('2026-11-27T12:00:00.000Z')

const service = (path: string, priceUsdc = 0.001): Service => ({
  path,
  priceUsdc,
  sku: `SKU_${path}`,
  title: path,
  coveredByHourPass: true,
  parameters: [],
})
const sale = (url: string, agoMs: number, paidWith: KeptSale['paidWith'] = 'payment') =>
  ({ url, at: new Date(NOW - agoMs).toISOString(), paidWith }) as KeptSale

const looks = (services: Service[], sales: KeptSale[], callMicro = 1_000_000n) =>
  looksAt(services, sales, { base: BASE, nowMs: NOW, days: 25, callMicro }).map(({ path, outcome }) => [
    path,
    outcome,
  ])

describe('ecosystem 3.1: what a canary buys', () => {
  test.each([
    ['never bought', [], 'due'],
    ['a millisecond short of 25 days ago', [sale(`${BASE}/a`, 25 * DAY - 1)], 'not_due'],
    ['25 days ago', [sale(`${BASE}/a`, 25 * DAY)], 'due'],
    ['with another query', [sale(`${BASE}/a?q=fed`, DAY)], 'not_due'],
    ['long ago, and again lately', [sale(`${BASE}/a`, 30 * DAY), sale(`${BASE}/a`, DAY)], 'not_due'],
    ['lately, listed before an older one', [sale(`${BASE}/a`, DAY), sale(`${BASE}/a`, 30 * DAY)], 'not_due'],
    ['out of credit: nothing settled on chain', [sale(`${BASE}/a`, DAY, 'credit')], 'due'],
    ['from somebody else', [sale('https://other.example.com/a', DAY)], 'due'],
    ['another read', [sale(`${BASE}/ab`, DAY)], 'due'],
  ] as const)('%s: %3$s', (_, sales, outcome) => {
    expect(looks([service('/a')], [...sales])).toEqual([['/a', outcome]])
  })

  test('the cheapest first; what is above the limit of a purchase is left out', () => {
    const services = [service('/dear', 0.500001), service('/just', 0.5), service('/cheap', 0.001)]
    expect(looks(services, [], 500_000n)).toEqual([
      ['/cheap', 'due'],
      ['/just', 'due'],
      ['/dear', 'too_dear'],
    ])
    expect(looks([service('/dear', 2)], [sale(`${BASE}/dear`, DAY)])).toEqual([['/dear', 'not_due']])
  })
})

describe('how it ended: as its gravest purchase', () => {
  const ended = (...outcomes: Look['outcome'][]) =>
    endOf(
      outcomes.map((outcome, at) => ({
        path: `/${at}`,
        sku: 'S',
        priceUsdc: 1,
        lastAt: null,
        outcome,
        message: outcome === 'bought' ? null : `because of ${outcome}`,
        attestationId: null,
      })),
    )

  test('nothing to buy: done; all bought: bought', () => {
    expect(ended('not_due', 'too_dear')).toEqual({ outcome: 'done', message: null })
    expect(ended('bought', 'not_due', 'bought')).toEqual({ outcome: 'bought', message: null })
  })

  test.each([
    [['bought', 'refused'], 'refused', '1 of 2 went wrong, among them /1: because of refused'],
    [['refused', 'unknown', 'left'], 'unknown', '2 of 2 went wrong, among them /1: because of unknown'],
    [
      ['payment_refused', 'unverified', 'bought'],
      'unverified',
      '2 of 3 went wrong, among them /1: because of',
    ],
    [['refused', 'unreachable', 'left'], 'unreachable', '2 of 2 went wrong'],
  ] as const)('%j: %s', (outcomes, outcome, message) => {
    expect(ended(...outcomes)).toEqual({ outcome, message: expect.stringContaining(message) })
  })

  test('a seller that cannot be reached ends it; one read that is refused does not', () => {
    expect([endsAll('unreachable'), endsAll('failed')]).toEqual([true, true])
    expect([endsAll('refused'), endsAll('unknown'), endsAll('bought')]).toEqual([false, false, false])
  })
})

describe('the input that a 402 tells catalogues', () => {
  const header = (info: unknown) =>
    encodePaymentRequiredHeader({ x402Version: 2, accepts: [], extensions: { bazaar: { info } } } as never)

  test('is read in its order', () => {
    const queryParams = { q: 'fed rate', window: 'day' }
    expect(readExampleInput(header({ input: { type: 'http', queryParams } }))).toEqual([
      ['q', 'fed rate'],
      ['window', 'day'],
    ])
  })

  test.each([
    ['no header', null],
    ['no base64', '%'],
    ['no parameters', header({ input: { type: 'http' } })],
    ['a parameter that is no text', header({ input: { queryParams: { q: { a: 1 } } } })],
    ['no extension', encodePaymentRequiredHeader({ x402Version: 2, accepts: [] } as never)],
  ])('%s: none', (_, text) => {
    expect(readExampleInput(text)).toEqual([])
  })
})
