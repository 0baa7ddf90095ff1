import type { Redis } from 'ioredis'
import { type BoardName, holdBoard } from '../../../api/boards.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { openLive } from '../../../api/live/index.ts'
import type { LiveBoard } from '../../../api/live/liveBoard.ts'
import { openPages } from '../../../api/pages/index.ts'
import { runNow } from '../../../api/steps.ts'
import { FEED_STREAM, type FeedEvent } from '../../../engine/contract/feed.ts'
import type { Snapshot } from '../../../engine/contract/snapshot.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { snapshotOf, someCard, someGap, someMover } from '../../support/boards.ts'
import { someFacts } from '../../support/facts.ts'
import { frontDoor } from '../../support/frontDoor.ts'
import { quietLog } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'
import { cardsBody, gapsBody, MAX_AGE, moversBody, NOW, portsOver } from '../goods/support.ts'

export const MINUTE = 60_000

/** The live part of an api process: real HTTP, real Redis; the test sets boards and market clock. */
export type LiveWorld = {
  base: string
  redis: Redis
  clock: { nowMs: number } // market clock; only the test moves it
  /** A newer board, as the follower would hold it; fresh as of the market clock unless `change` says otherwise. */
  hold(name: BoardName, body: unknown, change?: Partial<Snapshot>): void
  tell(event: Partial<FeedEvent>): Promise<void>
  live(): Promise<LiveBoard>
  /** Stops serving as a process that ends does, and serves again on the same port. */
  close(): Promise<void>
  open(): Promise<void>
  stop(): Promise<void>
}

export const lookAlike = (title: string, url = 'https://kalshi.com/markets/x', reasons = ['limit']) => ({
  a: { marketId: '1', title, url },
  b: { marketId: '2', title: `${title} (another)`, url },
  category: null,
  reasons,
  similarity: 0.8,
})

export const refusalsBody = (lookAlikes: unknown[]) => ({ pairs: 1, refused: 3, counts: {}, lookAlikes })

const facts = someFacts()

const BODIES = {
  gaps: { ...gapsBody([someGap()]), refused: { limit: 2, name: 1 } },
  gapCards: cardsBody([someCard()]),
  movers: moversBody({ hour: [someMover()], day: [someMover({ changeCents: 12.34 })] }),
  refusals: refusalsBody([lookAlike('Fed cuts rates in December')]),
}

/** @param bodies boards that are held from the beginning, in place of the usual ones. */
export async function startLive(bodies: Parameters<typeof portsOver>[0] = {}): Promise<LiveWorld> {
  const server = await startRedis()
  const redis = connectRedis(server.url, { log: quietLog, name: 'test-live' })
  const clock = { nowMs: NOW }
  const goods = {
    ...portsOver({ ...BODIES, ...bodies }),
    marketClock: { nowMs: () => clock.nowMs },
  }
  let version = 1
  const door = await frontDoor()
  let running: { stop(): Promise<void> } | null = null
  const open = async () => {
    const live = openLive({ redis, goods, sold: GOODS, mode: 'sandbox', speed: 1, log: quietLog })
    const routes = [
      ...live.routes,
      ...openPages({ facts, held: live.held, paths: () => ['/', '/live.json', '/history'] }),
    ]
    const http = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      handler: createRouter(routes),
      log: quietLog,
    })
    await door.open(http.port)
    running = {
      stop: async () => {
        await live.stop()
        await door.shut()
        await http.close()
      },
    }
  }
  const close = async () => {
    await running?.stop()
    running = null
  }
  await open()
  const base = `http://127.0.0.1:${door.port}`
  return {
    base,
    redis,
    clock,
    hold: (name, body, change = {}) => {
      version++
      const snapshot = snapshotOf(name, body, clock.nowMs, { version, ...change })
      Object.assign(goods.boards, { [name]: runNow(holdBoard(name, snapshot)) })
    },
    tell: async (event) => {
      const whole = { kind: 'opened', topic: 'gaps', atMs: clock.nowMs, snapshotVersion: 1, card: someCard() }
      await redis.xadd(FEED_STREAM, '*', 'event', JSON.stringify({ ...whole, ...event }))
    },
    live: async () => (await (await fetch(`${base}/live.json`)).json()) as LiveBoard,
    close,
    open,
    stop: async () => {
      await close()
      redis.disconnect()
      await server.stop()
    },
  }
}

export { MAX_AGE, NOW }
