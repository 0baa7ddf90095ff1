import { describe, expect, test } from 'vitest'
import { disagreements, SurfaceAudit } from '../../../api/storefront/audit/compare.ts'
import { SURFACES, type Surface } from '../../../api/storefront/audit/readers.ts'
import { auditSurfaces, surfaceTexts } from '../../../api/storefront/audit/selfAudit.ts'
import { someFacts } from '../../support/facts.ts'

const facts = someFacts()
const NOW = 1_790_000_000_000
const PING = '/x402/v1/ping'
const texts = surfaceTexts(facts)
const audit = (change: Partial<Record<Surface, string>> = {}) =>
  auditSurfaces(facts, NOW, { ...texts, ...change })

describe('4.1 price, path, SKU and parameters are the same on every surface as in the 402', () => {
  test('all of them, every good on each', () => {
    const found = audit()
    expect(found.disagreements).toEqual([])
    expect(SurfaceAudit.parse(found)).toEqual(found)
    expect(found).toMatchObject({ agree: true, goods: facts.goods.length })
    expect(found.checked.map(({ path, goods }) => [path, goods])).toEqual(
      SURFACES.map((path) => [path, facts.goods.length]),
    )
    for (const { compared } of found.checked) expect(compared).toContain('amount')
  })

  /** A service that is the same but for the price of one good. */
  const dearer = surfaceTexts(
    someFacts({
      goods: facts.goods.map((good) => (good.path === PING ? { ...good, priceMicroUsdc: 20_000n } : good)),
      catalog: facts.catalog.map((record) =>
        record.path === PING ? { ...record, priceUsdc: 0.02, agentPriceUsdc: 0.02 } : record,
      ),
    }),
  )
  test.each(SURFACES)('%s: another price is found, with both figures', (surface) => {
    expect(audit({ [surface]: dearer[surface] }).disagreements).toEqual([
      { surface, path: PING, field: 'amount', says: '20000', charged: '10000' },
    ])
  })
})

describe('what the self-check finds', () => {
  const CHARGED = [
    { path: '/x402/v1/a', sku: 'A', amount: '1000', parameters: ['q'], required: ['q'] },
    { path: '/x402/v1/b', sku: 'B', amount: '2000', parameters: [], required: [] },
  ]
  const found = (said: Parameters<typeof disagreements>[1]) =>
    disagreements('s', said, CHARGED).map(({ path, field, says, charged }) => [path, field, says, charged])

  test('nothing, where all fields agree; a surface need not have every field', () => {
    expect(found(CHARGED)).toEqual([])
    expect(found(CHARGED.map(({ path, amount }) => ({ path, amount })))).toEqual([])
  })

  test.each([
    ['sku', { sku: 'C' }, 'C', 'A'],
    ['amount', { amount: '1001' }, '1001', '1000'],
    ['parameters', { parameters: ['q', 'x'] }, '["q","x"]', '["q"]'],
    ['required', { required: [] }, '[]', '["q"]'],
  ])('another %s', (field, change, says, charged) => {
    expect(found([{ ...CHARGED[0]!, ...change }, CHARGED[1]!])).toEqual([
      ['/x402/v1/a', field, says, charged],
    ])
  })

  test('a good that is missing, one listed twice, one that is not sold', () => {
    expect(found([CHARGED[0]!])).toEqual([['/x402/v1/b', 'listed', '0', '1']])
    expect(found([CHARGED[0]!, ...CHARGED])).toEqual([['/x402/v1/a', 'listed', '2', '1']])
    expect(found([...CHARGED, { path: '/x402/v1/c' }])).toEqual([['/x402/v1/c', 'path', '/x402/v1/c', null]])
  })

  test('an entry whose two prices differ', () => {
    const listing = JSON.parse(texts['/x402/services.json'])
    listing.services[0].priceUsdc = 0.02
    expect(audit({ '/x402/services.json': JSON.stringify(listing) }).disagreements).toMatchObject([
      { path: PING, field: 'amount', says: '10000 or 20000', charged: '10000' },
    ])
  })

  test('a surface that cannot be read lists nothing', () => {
    const { agree, disagreements: all } = audit({ '/openapi.json': '{' })
    expect(agree).toBe(false)
    expect(all).toHaveLength(facts.goods.length)
    expect(all.every(({ surface, field }) => surface === '/openapi.json' && field === 'listed')).toBe(true)
  })
})
