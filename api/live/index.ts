import type { Redis } from 'ioredis'
import { type Clock, realClock } from '../../ops/clock.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { repeat } from '../free/repeat.ts'
import { drawn, keepSamples } from '../free/samples.ts'
import type { Good, GoodPorts } from '../goods/good.ts'
import { freshBoard } from '../goods/market/freshness.ts'
import { etagOf } from '../http/etag.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply, taggedReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { changedText, sectionTexts, sseEvent, wholeText } from './changes.ts'
import { followFeed } from './followFeed.ts'
import { SampledGap, sampledGaps } from './gaps.ts'
import type { LiveBoard } from './liveBoard.ts'
import { SampledMover, sampledMovers } from './movers.ts'
import { createReaders } from './readers.ts'
import { SAMPLE_DELAY_MS } from './sections.ts'
import { showLive } from './showLive.ts'
import type { Ticker } from './ticker.ts'

const LOOK_EVERY_MS = 1 * SECOND
/** Shows that the connection lives: a browser does not notice by itself when it is gone. */
const HEARTBEAT_MS = 5 * SECOND
const RETRY_MS = 2 * SECOND

export type LivePorts = {
  redis: Redis //   pipeline: samples and feed; not the one that blocks
  goods: GoodPorts
  sold: readonly Good<unknown>[]
  mode: string
  speed: number //  market seconds per real second
  log: Log
  clock?: Clock //  real time, of the connections
}

/** What is held between two looks: one computation a second, whoever asks. */
export type Held = { board: LiveBoard; json: string; etag: string }

export type Live = { routes: Route[]; held(): Held; stop(): Promise<void> }

/** The live board as data: `GET /live.json`, and `GET /live` as a stream of the same. */
export function openLive({ redis, goods, sold, mode, speed, log, clock = realClock }: LivePorts): Live {
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

  const look = () => {
    const board = showLive({
      ports: goods,
      mode,
      speed,
      sold,
      gapSamples: gaps.samples(),
      moverSamples: movers.samples(),
      ticker,
    })
    const texts = sectionTexts(board)
    const json = wholeText(texts)
    const etag = etagOf(json)
    return { texts, held: { board, json, etag } }
  }

  let now = look()
  let heardMs = clock.nowMs()
  const readers = createReaders({ clock, whole: () => sseEvent('board', now.held.json) })
  const tell = () => {
    const before = now
    now = look()
    const changed = changedText(before.texts, now.texts)
    const nowMs = clock.nowMs()
    if (changed === null && nowMs - heardMs < HEARTBEAT_MS) return
    heardMs = nowMs
    readers.send(changed === null ? sseEvent('clock', now.texts.clock) : sseEvent('change', changed))
  }

  //  apart, so that ages go on to grow and are told while Redis is away
  const looks = [
    repeat('live samples', LOOK_EVERY_MS, log, async () => {
      await feed.look()
      await gaps.refresh()
      await movers.refresh()
    }),
    repeat('live board', LOOK_EVERY_MS, log, async () => tell()),
  ]

  const follow = (address: string): Reply => {
    if (!readers.hasRoom(address)) return problemReply({ problem: 'busy' })
    return {
      status: 200,
      headers: [
        ['content-type', 'text/event-stream'],
        ['cache-control', 'no-store'],
        ['x-accel-buffering', 'no'], // a proxy that collects would hold the board back
      ],
      body: { stream: (sink) => readers.join(sink, address, `retry: ${RETRY_MS}\n\n`) },
    }
  }

  return {
    routes: [
      { method: 'GET', path: '/live', handler: ({ address }) => follow(address) },
      {
        method: 'GET',
        path: '/live.json',
        handler: (request) => liveJson(now.held, request.header('if-none-match')),
      },
    ],
    held: () => now.held,
    stop: async () => {
      readers.stop()
      await Promise.all(looks.map((each) => each.stop()))
    },
  }
}

/** As old as one look at most. */
const liveJson = ({ json, etag }: Held, ifNoneMatch: string): Reply =>
  taggedReply({ ifNoneMatch, etag }, json, [['cache-control', 'public, max-age=1']])
