import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { type CLASSIC_RATES, openClassic } from '../../../api/classic/index.ts'
import { intentName } from '../../../api/classic/order.ts'
import { type Watched, watchIntents } from '../../../api/classic/watch.ts'
import { guessesOf } from '../../../api/entitlements/guesses.ts'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { createRouter } from '../../../api/http/router.ts'
import { type Server, serveHttp } from '../../../api/http/server.ts'
import { type CreditLedger, createCreditLedger } from '../../../api/ledger/credits.ts'
import { createIntentLedger, INTENT_LIMITS, type IntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { OBJECTION_MS } from '../../../api/payment/legacyTimes.ts'
import type { Rail } from '../../../api/rails/rail.ts'
import { receiptKeyFromPem } from '../../../api/receipts/key.ts'
import { keyRing } from '../../../api/receipts/keyRing.ts'
import { torUnlock } from '../../../api/redeem/torUnlock.ts'
import { someBookRow, someCard, someEdge, someGap, someMover, someNet } from '../../support/boards.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'
import { cardsBody, gapsBody, moversBody, portsOver } from '../goods/support.ts'
import { BUYER, type Cash, createCash, signedFor } from './cash.ts'

export type Said = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any
  text: string
  retryAfter: string | null
  header(name: string): string | null
}

type Options = { agent?: string; side?: number; headers?: Record<string, string> }

type Side = {
  server: Server
  ports: Parameters<typeof openClassic>[0]
  store: ReturnType<typeof openLedger>
}

export const SECRET = 'a-secret-of-the-buyer'
export { BUYER, signedFor }

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const refuse = (why: string): never => {
  throw new Error(why)
}
const receiptKey = receiptKeyFromPem(pem, refuse)
export const receiptKeys = keyRing(receiptKey, '', refuse)
const secret = randomBytes(32)

/** Boards from which every good answers. */
export const allBoards = (): GoodPorts =>
  portsOver({
    gaps: gapsBody([someGap()]),
    nets: { rows: [someNet()] },
    edges: { rows: [someEdge()] },
    movers: moversBody({ day: [someMover()] }),
    book: { a: [someBookRow()], b: [] },
    gapCards: cardsBody([someCard()]),
  })

/** Two selling processes over one ledger and one cash rail, with a clock that the test moves. */
export function classicWorld({
  openingSale = false,
  rails,
  rates = { openings: { perS: 1, burst: 10_000 }, looks: { perS: 1, burst: 10_000 } },
}: {
  openingSale?: boolean
  rails?: () => readonly Rail[] //  absent: cash
  rates?: typeof CLASSIC_RATES
} = {}) {
  let redis: Awaited<ReturnType<typeof startRedis>>
  const sides: Side[] = []
  const world = {
    secret,
    nameOf: intentName,
    nowMs: Date.now(), // stands still; the ledger's own clock runs on
    goods: allBoards(),
    atFaultPoint: (_: string): void => {},
    cash: null as unknown as Cash,
    intents: null as unknown as IntentLedger,
    credits: null as unknown as CreditLedger,
    store: null as unknown as Side['store'],
    ports: null as unknown as Side['ports'], // of the first process
    /** One POST to one of the two processes. */
    async post(
      path: string,
      body: unknown,
      { agent = '', side = 0, headers = {} }: Options = {},
    ): Promise<Said> {
      const response = await fetch(`http://127.0.0.1:${sides[side]!.server.port}${path}`, {
        method: 'POST',
        headers: { ...headers, ...(agent === '' ? {} : { 'x-agent-id': agent }) },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      return {
        status: response.status,
        text,
        retryAfter: response.headers.get('retry-after'),
        header: (name) => response.headers.get(name),
        get json() {
          return JSON.parse(text)
        },
      }
    },
    /** An intent that waits for money. */
    async open(body: Record<string, unknown>, options = {}) {
      const said = await world.post('/purchase-intent', { buyerId: BUYER, ...body }, options)
      expect(said.status, said.text).toBe(402)
      return said.json.payment
    },
    watch: (): Promise<Watched> => watchIntents({ ...sides[0]!.ports, log: quietLog }),
    /** Drops the data between the opening of the next purchase and its answer. */
    loseDataOnceOpened() {
      const { open } = world.intents
      world.intents.open = async (...opened) => {
        world.intents.open = open
        world.goods = { ...allBoards(), boards: {} }
        return await open(...opened)
      }
    },
    /** As if others had let the time pass in which they may object to this late transfer. */
    async unclaimed(tx: string, chainId = 8453) {
      const key = KEYS.contenders(transferKey(chainId, tx, 0))
      for (const who of await world.store.redis.zrange(key, '0', '-1'))
        await world.store.redis.zincrby(key, -OBJECTION_MS.other, who)
    },
    /** As if the ledger's clock ran with the world's: whoever has shown this transfer has shown it now. */
    async shownNow(tx: string, chainId = 8453) {
      const key = KEYS.contenders(transferKey(chainId, tx, 0))
      for (const who of await world.store.redis.zrange(key, '0', '-1'))
        await world.store.redis.zadd(key, 'XX', world.nowMs, who)
    },
    pass(ms: number) {
      world.nowMs += ms
    },
  }
  beforeAll(async () => {
    redis = await startRedis({ appendfsync: 'always' })
    world.cash = createCash(() => world.nowMs)
    for (const _ of [1, 2]) {
      const store = openLedger(redis.url)
      const ports: Side['ports'] = {
        ledger: store.ledger,
        credits: createCreditLedger(store.redis),
        intents: createIntentLedger(store.redis, { ...INTENT_LIMITS, perBuyer: 1_000, amountShare: 0.5 }),
        rails: rails?.() ?? world.cash.rails,
        clock: { nowMs: () => world.nowMs },
        get goods() {
          return world.goods
        },
        guesses: guessesOf({}),
        openingSale,
        faultPoint: (name) => world.atFaultPoint(name),
        finality: { reached: async () => true },
        answers: {
          receiptKey,
          receiptKeys,
          secret,
          publicUrl: 'http://127.0.0.1:8402',
          mode: 'sandbox',
        },
      }
      const server = await serveHttp({
        host: '127.0.0.1',
        port: 0,
        handler: createRouter([...openClassic(ports, rates), torUnlock(store.ledger, 'sandbox')]),
        log: quietLog,
      })
      sides.push({ server, ports, store })
    }
    const [first] = sides as [Side, Side]
    world.intents = first.ports.intents
    world.credits = first.ports.credits
    world.store = first.store
    world.ports = first.ports
  })
  afterAll(async () => {
    for (const { server, store } of sides) {
      await server.close()
      store.close()
    }
    await redis.stop()
  })
  return world
}
