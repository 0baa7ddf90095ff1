import type { Redis } from 'ioredis'
import { PreviewRow } from '../../engine/contract/preview.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Log } from '../../ops/log.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Good, GoodPorts } from '../goods/good.ts'
import { botFuel } from '../goods/market/botFuel.ts'
import { freshBoard, PRECISION } from '../goods/market/freshness.ts'
import { spread } from '../goods/market/spread.ts'
import { etagOf } from '../http/etag.ts'
import { taggedReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { PLACES } from '../storefront/places.ts'
import { alphaPreview, PREVIEW_DELAY_MS, previewRows } from './alphaPreview.ts'
import { shownOnChainOf } from './mask.ts'
import { repeat } from './repeat.ts'
import { salesOf } from './salesSince.ts'
import { drawn, keepSamples } from './samples.ts'
import { keepAudit } from './surfaceAudit.ts'
import { venueWire, WIRE_EVERY_MS, WireRow, wireRows } from './venueWire.ts'

const LOOK_EVERY_MS = 1 * SECOND
const AUDIT_EVERY_MS = 1 * MINUTE
const CACHE = [['cache-control', 'public, max-age=15']] as const

export type FreePorts = {
  redis: Redis //       pipeline: samples shared by all processes; not the one that blocks
  ledgerRedis: Redis // its journal of sales is read
  goods: GoodPorts
  sold: readonly Good<unknown>[]
  mode: string
  surfaces(): unknown // what the service found in its own surfaces; beside the masked ledger
  log: Log
  clock: Clock //       the ledger's, of the audit of its journal
}

/** The three free samples of the spec. Their answers come from memory; timers keep that up to date. */
export function openFreeSamples({ redis, ledgerRedis, goods, sold, mode, surfaces, log, clock }: FreePorts): {
  routes: Route[]
  stop(): Promise<void>
} {
  const { marketClock, recorded } = goods
  const wire = keepSamples({
    redis,
    clock: marketClock,
    name: 'wire',
    everyMs: WIRE_EVERY_MS,
    row: WireRow,
    draw: () => drawn(freshBoard('gaps', goods), wireRows),
  })
  const alpha = keepSamples({
    redis,
    clock: marketClock,
    name: 'alpha',
    everyMs: PREVIEW_DELAY_MS,
    row: PreviewRow,
    draw: () => drawn(freshBoard('edges', goods), previewRows),
  })
  const audit = keepAudit({ clock, salesSince: salesOf(ledgerRedis), shownOnChain: shownOnChainOf(sold) })
  const looks = [
    repeat('venue wire', LOOK_EVERY_MS, log, wire.refresh),
    repeat('alpha preview', LOOK_EVERY_MS, log, alpha.refresh),
    repeat('surface audit', AUDIT_EVERY_MS, log, audit.refresh),
  ]
  const free = (path: string, show: () => Record<string, unknown>): Route => ({
    method: 'GET',
    path,
    handler: (request) => {
      const body = JSON.stringify({ ok: true, mode, ...show() })
      return taggedReply({ ifNoneMatch: request.header('if-none-match'), etag: etagOf(body) }, body, CACHE)
    },
  })
  return {
    routes: [
      free(PLACES.venueWire.path, () => ({
        recorded,
        ...PRECISION,
        ...venueWire(wire.samples(), marketClock.nowMs()),
        exact: spread.path,
      })),
      free(PLACES.alphaPreview.path, () => ({
        recorded,
        ...PRECISION,
        ...alphaPreview(alpha.samples(), marketClock.nowMs()),
        exact: botFuel.path,
      })),
      free(PLACES.audit.path, () => ({ ...audit.show(), surfaces: surfaces() })),
    ],
    stop: async () => {
      await Promise.all(looks.map((look) => look.stop()))
    },
  }
}
