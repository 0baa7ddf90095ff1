import { describe, expect, test } from 'vitest'
import { CATALOG, catalogRecord } from '../../../api/catalog/catalog.ts'
import { CatalogRecord } from '../../../api/catalog/record.ts'
import { isCoveredByPass } from '../../../api/goods/good.ts'
import { GOODS, sellableOfSku } from '../../../api/goods/index.ts'

describe('2.3 the catalog has a record for every SKU', () => {
  test('each with every field of the specification, and each SKU once', () => {
    const fields = `sku name collection tagline deliveryNote type agentOnly stripeEnabled onSale instantDelivery promoted
      basePriceUsdc priceUsdc agentPriceUsdc agentSavingsUsdc discountPct agentSavingsPct saleReason delivers priority`
    for (const record of CATALOG) {
      expect(Object.keys(record).sort()).toEqual([...fields.split(/\s+/), 'path'].sort())
      expect(CatalogRecord.parse(record)).toEqual(record)
    }
    expect(new Set(CATALOG.map(({ sku }) => sku)).size).toBe(CATALOG.length)
  })

  test.each([
    ['SKU_AG_PING_01', 0.01],
    ['SKU_AG_TOR_CALL_01', 0.05],
    ['SKU_RECEIPT_ORACLE_01', 0.1],
    ['SKU_AG_BOT_FUEL_01', 0.25],
    ['SKU_AG_BOT_FUEL_PACK_05', 0.89],
    ['SKU_AG_BOT_FUEL_24H', 1.49],
    ['SKU_AG_SCAN_01', 0.49],
    ['SKU_AG_CREDITS_02', 2],
    ['SKU_AG_CREDITS_05', 5],
    ['SKU_AG_CREDITS_10', 10],
  ])('%s costs %d, from a wallet only', (sku, priceUsdc) => {
    expect(catalogRecord(sku)).toMatchObject({
      type: 'agent_micro',
      agentOnly: true,
      stripeEnabled: false,
      priceUsdc,
      agentPriceUsdc: priceUsdc,
      basePriceUsdc: priceUsdc,
      agentSavingsUsdc: 0,
      discountPct: 0,
      instantDelivery: true,
    })
  })

  test.each([
    ['SKU_INQUIRY_01', 5, 2.49, 2.51, 50.2],
    ['SKU_DLQ_01', 19, 10.45, 8.55, 45],
    ['SKU_TOR_MCP_PRO', 19, 12.35, 6.65, 35],
    ['SKU_SIGNAL_FEED_29', 39, 25.35, 13.65, 35],
  ])('%s: base %d, agent %d, card checkout allowed', (sku, base, agent, saved, pct) => {
    expect(catalogRecord(sku)).toMatchObject({
      stripeEnabled: true,
      agentOnly: false,
      basePriceUsdc: base,
      priceUsdc: agent,
      agentPriceUsdc: agent,
      agentSavingsUsdc: saved,
      agentSavingsPct: pct,
      discountPct: pct,
      saleReason: 'Agent price',
    })
  })

  test('what is charged is what the record says, for everything that can be bought', () => {
    for (const record of CATALOG.filter(({ onSale }) => onSale)) {
      const good = sellableOfSku(record.sku)!
      expect(BigInt(Math.round(record.priceUsdc * 1e6)), record.sku).toBe(good.priceMicroUsdc)
      expect(BigInt(Math.round(record.basePriceUsdc * 1e6)), record.sku).toBe(good.listPriceMicroUsdc)
    }
  })

  test('the tip and the open-source tool are listed; the tool is not sold, and 25 uses of it are free (8)', () => {
    expect(catalogRecord('SKU_TIP_00')).toMatchObject({ onSale: true, stripeEnabled: false })
    expect(catalogRecord('SKU_OPEN_TOR_MCP')).toMatchObject({
      onSale: false,
      priceUsdc: 0,
      tagline: expect.stringMatching(/\b25 successful billable uses are free\b/),
    })
    expect(sellableOfSku('SKU_OPEN_TOR_MCP')).toBeUndefined()
  })

  test('every record of something sold says what it delivers', () => {
    expect(CATALOG.filter(({ onSale, delivers }) => onSale && delivers === null)).toEqual([])
  })

  test('every good of the paid reads is in it, with its path', () => {
    expect(CATALOG.filter(({ path }) => path !== null).map(({ sku }) => sku)).toEqual(
      GOODS.map(({ sku }) => sku),
    )
  })

  test('the bot-fuel goods are favoured, the alternatives are not (9)', () => {
    expect(
      CATALOG.filter(({ type, promoted }) => type === 'agent_micro' && promoted).map(({ sku }) => sku),
    ).toEqual(['SKU_AG_BOT_FUEL_01', 'SKU_AG_BOT_FUEL_PACK_05', 'SKU_AG_BOT_FUEL_24H'])
    for (const sku of ['SKU_AG_EDGE_01', 'SKU_AG_EDGE_PACK_01', 'SKU_AG_ALPHA_24H']) {
      expect(catalogRecord(sku)).toMatchObject({ priority: 'P1', name: expect.stringMatching(/\(legacy\)$/) })
      expect(sellableOfSku(sku)!.description).toMatch(/bot-fuel/)
    }
  })

  test('what a pass does not give is said where the pass and the thing are: no attestation', () => {
    const pass = sellableOfSku('SKU_AG_HOUR_PASS_01')!.description
    for (const word of [
      'credit packs',
      'feed tokens',
      'permits',
      'receipt oracle',
      'another pass',
      'receipt',
    ])
      expect(pass).toContain(word)
    const promised = GOODS.filter(({ delivers }) => /attest/i.test(delivers))
    expect(promised.map(({ path }) => path)).toEqual(['/x402/v1/ping', '/x402/v1/receipt-oracle'])
    for (const good of promised.filter(isCoveredByPass))
      for (const text of [good.description, good.delivers]) expect(text).toMatch(/under an hour pass/)
  })
})
