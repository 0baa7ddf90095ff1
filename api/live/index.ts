import type { Redis } from 'ioredis'
import { type Clock, steadyClock } from '../../ops/clock.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { repeat } from '../free/repeat.ts'
import { drawn, keepSamples } from '../free/samples.ts'
import type { Good, GoodPorts } from '../goods/good.ts'
import { freshBoard } from '../goods/market/freshness.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply, taggedReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { followFeed } from './followFeed.ts'
import { SampledGap, sampledGaps } from './gaps.ts'
import { type Held, holdBoard } from './held.ts'
import { SampledMover, sampledMovers } from './movers.ts'
import type { Readers } from './readers.ts'
import { SAMPLE_DELAY_MS } from './sections.ts'
import { showLive } from './showLive.ts'
import type { Ticker } from './ticker.ts'

const LOOK_EVERY_MS = 1 * SECOND
const RETRY_MS = 2 * SECOND

export type LivePorts = {
  redis: Redis //   pipeline: samples and feed; not the one that blocks
  goods: GoodPorts
  sold: readonly Good<unknown>[]
  mode: string
  speed: number //  market seconds per real second
  log: Log
  steady?: Clock // measures how long readers have heard nothing, or taken nothing
}

export type Live = { routes: Route[]; held(): Held; stop(): Promise<void> }

/** The live board as data: `GET /live.json`, and `GET /live` as a stream of the same. */
export function openLive({ redis, goods, sold, mode, speed, log, steady = steadyClock }: LivePorts): Live {
  const ticker: Ticker = new Map()
  const feed = followFeed(redis, ticker)
  const { marketClock } = goods
  const gaps = keepSamples({
    redis,
    clock: marketClock,
    name: 'live-gaps',
    everyMs: SAMPLE_DELAY_MS,
    row: SampledGap,
    draw: () => drawn(freshBoard('gaps', goods), sampledGaps),
  })
  const movers = keepSamples({
    redis,
    clock: marketClock,
    name: 'live-movers',
    everyMs: SAMPLE_DELAY_MS,
    row: SampledMover,
    draw: () => drawn(freshBoard('movers', goods), sampledMovers),
  })

  const held = holdBoard(steady, () =>
    showLive({
      ports: goods,
      mode,
      speed,
      sold,
      gapSamples: gaps.samples(),
      moverSamples: movers.samples(),
      ticker,
    }),
  )

  //  kept apart, so that ages keep growing and are sent while Redis is away
  const looks = [
    repeat('live samples', LOOK_EVERY_MS, log, async () => {
      await feed.look()
      await gaps.refresh()
      await movers.refresh()
    }),
    repeat('live board', LOOK_EVERY_MS, log, async () => held.look()),
  ]

  return {
    routes: [
      { method: 'GET', path: '/live', handler: ({ address }) => follow(held.readers, address) },
      {
        method: 'GET',
        path: '/live.json',
        handler: (request) => liveJson(held.now(), request.header('if-none-match')),
      },
    ],
    held: held.now,
    stop: async () => {
      held.readers.stop()
      await Promise.all(looks.map((each) => each.stop()))
    },
  }
}

function follow(readers: Readers, address: string): Reply {
  if (!readers.hasRoom(address)) return problemReply({ problem: 'busy' })
  return {
    status: 200,
    headers: [
      ['content-type', 'text/event-stream'],
      ['cache-control', 'no-store'],
      ['x-accel-buffering', 'no'], // a proxy that buffers would hold the board back
    ],
    body: { stream: (sink) => readers.join(sink, address, `retry: ${RETRY_MS}\n\n`) },
  }
}

/** At most one look old. */
const liveJson = ({ json, etag }: Held, ifNoneMatch: string): Reply =>
  taggedReply({ ifNoneMatch, etag }, json, [['cache-control', 'public, max-age=1']])
