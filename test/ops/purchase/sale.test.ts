import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../../ops/migrate.ts'
import { findSale } from '../../../ops/purchase/sale.ts'
import { type ClickhouseShare, shareClickhouse, sliceOf } from '../../support/clickhouse.ts'
import { freePort } from '../../support/ports.ts'

let clickhouse: ClickhouseShare
let database: Awaited<ReturnType<ClickhouseShare['database']>>
beforeAll(async () => {
  clickhouse = await shareClickhouse()
  database = await clickhouse.database()
  await migrate(sliceOf(clickhouse, database.name))
})
afterAll(() => clickhouse.stop())

const access = () => ({ url: clickhouse.url, user: 'default', password: '', database: database.name })
const journal = (attestation_id: string) =>
  database.client.insert({
    table: 'sales',
    values: [
      {
        event_id: attestation_id,
        attestation_id,
        at: Date.now(),
        sku: 'SKU_AG_PING_01',
        amount_micro: 1_000,
      },
    ],
    format: 'JSONEachRow',
  })

describe('the sale in the journal of ClickHouse', () => {
  test('is found when it arrives after the answer', async () => {
    const looking = findSale(access(), 'late')
    await journal('late')
    expect(await looking).toMatchObject({
      found: true,
      row: { attestation_id: 'late', sku: 'SKU_AG_PING_01' },
    })
  })

  test('another sale is not taken for it', async () => {
    await journal('another')
    expect(await findSale(access(), 'mine', 300)).toMatchObject({ found: false, row: null, problem: null })
  })

  test('ClickHouse away: it says so and does not fail', async () => {
    const sale = await findSale({ ...access(), url: `http://127.0.0.1:${await freePort()}` }, 'mine', 300)
    expect(sale.found).toBe(false)
    expect(sale.problem).not.toBeNull()
  })
})
