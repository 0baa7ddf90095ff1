import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFreeSamples } from '../../../api/free/index.ts'
import { drawn } from '../../../api/free/samples.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { PRECISION } from '../../../api/goods/market/freshness.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { someEdge, someGap } from '../../support/boards.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { gapsBody, NOW, portsOver } from '../goods/support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY_MS = Math.floor(NOW / (24 * HOUR)) * 24 * HOUR //  of the audit
type Process = { base: string; clock: { nowMs: number }; stop(): Promise<void> }

let server: Awaited<ReturnType<typeof startRedis>>
let redis: Redis
beforeAll(async () => {
  server = await startRedis()
  redis = connectRedis(server.url, { log: quietLog, name: 'test-free' })
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

/** The free part of an api process: real HTTP, real Redis, boards of its own. */
async function startFree(gapCents: number): Promise<Process> {
  const clock = { nowMs: NOW }
  const goods = portsOver({ gaps: gapsBody([someGap({ gapCents })]), edges: { rows: [someEdge()] } })
  const free = openFreeSamples({
    redis,
    ledgerRedis: redis,
    goods: { ...goods, marketClock: { nowMs: () => clock.nowMs } },
    sold: GOODS,
    surfaces: () => null,
    mode: 'sandbox',
    log: quietLog,
    clock: { nowMs: () => DAY_MS + 5 * HOUR },
  })
  const http = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler: createRouter(free.routes),
    log: quietLog,
  })
  return {
    base: `http://127.0.0.1:${http.port}`,
    clock,
    stop: async () => {
      await free.stop()
      await http.close()
    },
  }
}
const get = async ({ base }: Process, path: string) => {
  const answer = await fetch(`${base}${path}`)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Five buyers of each SKU in the second hour of the day. */
async function sell(...sold: [sku: string, purchasePath: string][]) {
  for (const [nth, [sku, purchasePath]] of sold.entries())
    for (let buyer = 0; buyer < 5; buyer++) {
      const sale = JSON.stringify({ sku, payer: `${sku} ${buyer}`, purchasePath })
      await redis.xadd(KEYS.sales, `${DAY_MS + HOUR}-${10 * nth + buyer + 1}`, 'sale', sale)
    }
}

describe('1 free samples: JSON without authentication', () => {
  let one: Process
  let other: Process
  beforeAll(async () => {
    await sell(
      ['SKU_AG_BOT_FUEL_01', 'x402'],
      ['SKU_AG_SPREAD_01', 'x402'],
      ['SKU_AG_SNIFF_01', 'x402'],
      ['SKU_OF_NOBODY', 'x402'],
      ['SKU_AG_SCAN_01', 'credit'],
      ['SKU_AG_EDGE_01', 'classic'],
    )
    one = await startFree(7)
    other = await startFree(42)
    //  the hours of the day are read while the first answers go out
    const lines = async () => (await get(one, '/surface-audit.json')).body.lines as unknown[]
    await until('the audit is whole', async () => (await lines()).length === 2)
  })
  afterAll(() => Promise.all([one.stop(), other.stop()]))

  test.each(['/venue-wire/gaps', '/alpha/preview', '/surface-audit.json'])(
    '%s is sent again only when it changed: ETag and 304',
    async (path) => {
      await expect.poll(async () => (await get(one, '/venue-wire/gaps')).body.rows).toHaveLength(1)
      const whole = await fetch(`${one.base}${path}`)
      const etag = whole.headers.get('etag')!
      expect(etag).toMatch(/^"[0-9a-f]{16}"$/)
      expect(await whole.json()).toMatchObject({ ok: true })
      const again = await fetch(`${one.base}${path}`, { headers: { 'if-none-match': etag } })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
      const older = await fetch(`${one.base}${path}`, { headers: { 'if-none-match': '"0000000000000000"' } })
      expect(older.status).toBe(200)
    },
  )

  test('every process shows the same wire, with when it was taken and when the next comes', async () => {
    await expect.poll(async () => (await get(one, '/venue-wire/gaps')).body.rows).toHaveLength(1)
    await expect.poll(async () => (await get(other, '/venue-wire/gaps')).body.rows).toHaveLength(1)
    const [left, right] = await Promise.all([one, other].map((each) => get(each, '/venue-wire/gaps')))
    expect(left).toEqual(right)
    expect(left).toMatchObject({
      status: 200,
      body: {
        ok: true,
        mode: 'sandbox',
        recorded: false,
        ...PRECISION,
        refreshedAt: new Date(NOW).toISOString(),
        nextAt: new Date((Math.floor(NOW / (30 * MINUTE)) + 1) * 30 * MINUTE).toISOString(),
      },
    })
  })

  test('the preview shows nothing until its delay has passed', async () => {
    for (const passedMs of [0, 15 * MINUTE - 1]) {
      one.clock.nowMs = NOW + passedMs
      expect(await get(one, '/alpha/preview')).toMatchObject({
        status: 200,
        body: { rows: [], refreshedAt: null, ...PRECISION },
      })
    }
    one.clock.nowMs = NOW + 15 * MINUTE
    expect((await get(one, '/alpha/preview')).body).toMatchObject({
      refreshedAt: new Date(NOW).toISOString(),
      rows: [{ edgeBand: '0 to 5 cents', gapBand: '5 to 10 cents' }],
    })
  })

  test('OPS-07 the audit names a kind where the chain shows it to everybody, and no other', async () => {
    const lines = async () =>
      (await get(one, '/surface-audit.json')).body.lines as { sku: string; sales: number }[]
    await expect.poll(lines).toHaveLength(2)
    expect((await lines()).map(({ sku, sales }) => [sku, sales])).toEqual([
      ['SKU_AG_BOT_FUEL_01', 5],
      ['several', 25], //  reads that share a price, a kind that is not sold by this table, and what no signed payment bought
    ])
    expect(await get(one, '/surface-audit.json')).toMatchObject({
      status: 200,
      body: { ok: true, mode: 'sandbox', minBuyersPerLine: 5 },
    })
  })

  test.each(['/venue-wire/gaps', '/alpha/preview', '/surface-audit.json'])(
    '%s may be kept by anybody, for seconds',
    async (path) => {
      const answer = await fetch(`${one.base}${path}`)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=15')
      await answer.body!.cancel()
    },
  )
})

test('an empty board is no sample, and neither is an old one', () => {
  const fresh = { board: { snapshot: { body: [1] } }, provenance: { asOf: { a: 'then', b: 'then' } } }
  expect(drawn(fresh, (body) => body)).toEqual({ asOf: { a: 'then', b: 'then' }, rows: [1] })
  expect(drawn(fresh, () => [])).toBeNull()
  expect(drawn({ problem: 'stale_data' }, () => [1])).toBeNull()
})
