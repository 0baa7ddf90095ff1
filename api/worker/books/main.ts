import type { Redis } from 'ioredis'
import { lastWords, RefusedOrder } from '../../../ops/commandLine.ts'
import { givenKeys, loadConfig } from '../../../ops/config.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { endBySignal } from '../../../ops/shutdown.ts'
import { DAY, MINUTE } from '../../../ops/units.ts'
import { createIntentLedger } from '../../ledger/intents.ts'
import { judgeMarks, type LedgerMark, readLedger, readMarks, renewEpoch } from '../../ledger/marks.ts'
import { createRedisLedger } from '../../ledger/redis.ts'
import { type ClosableChain, createPaymentChain } from '../../settlement/chain.ts'
import { blockOf, blockSince, everyBlockSince, headNow } from './blockSince.ts'
import { bookGone } from './bookGone.ts'
import { bookOne, bookUnknown } from './bookUnknown.ts'
import { LOOK_BACK_MS } from './joinAtStart.ts'
import { type BooksAsked, type BooksPorts, joinBooks, type Part, type PartsAsked } from './joinBooks.ts'
import { createLedgerView } from './ledgerView.ts'
import { nameOf, readOpenItems, stillOpen } from './openItems.ts'
import { type BooksOrder, readOrder, USAGE } from './order.ts'
import { createProgress } from './progress.ts'
import { booksJson, renderBooks, renderGone } from './render.ts'
import { placesAsked, sourceOf } from './source.ts'
import type { BookId, TokenPlace } from './tokenPlaces.ts'
import { noBooks, type WholeBooks, withFollowed, withPart } from './withPart.ts'

/** `ops/reconcile`: see USAGE. */
endBySignal()
const log = createLog('reconcile', 'error')
/** Look-back for a ledger that lost even its beat, so that it cannot say since when. */
const LOST_MS = 30 * DAY
/** The witness is told every second; clocks of chain and ledger differ. */
const CLOSED_AFTER_MS = 1 * MINUTE

try {
  const order = readOrder(process.argv.slice(2))
  if (order === null) process.stdout.write(USAGE)
  else process.exitCode = await run(order)
} catch (error) {
  process.stderr.write(lastWords(error, 'ops/reconcile'))
  process.exitCode = 2
}

/** @returns the exit code. */
async function run(order: BooksOrder): Promise<number> {
  const config = loadConfig(process.env, 'script')
  const { ledgerUrl, witnessUrl, places } = await sourceOf(order, config, givenKeys(process.env))
  const asked = placesAsked(order, places)
  const redis = connectRedis(ledgerUrl, { log, name: 'reconcile' })
  const news = connectRedis(ledgerUrl, { log, name: 'reconcile-news', blocking: true })
  const witness = connectRedis(witnessUrl, { log, name: 'reconcile-witness', lazyConnect: true })
  try {
    const closed = order.action === 'rebuild' || order.action === 'open'
    const times = closed ? await closedTimes(order, redis, witness) : null
    let unexplained = 0
    for (const place of asked) unexplained += await goThrough(place, order, times, redis, news)
    if (times !== null) {
      await refuseOpened(times, redis)
      await renewEpoch(redis, witness)
      process.stderr.write('money is open again\n')
    }
    return unexplained > 0 ? 1 : 0
  } finally {
    for (const connection of [redis, news, witness]) connection.disconnect()
  }
}

/** The time in which money unknown to the ledger may have bought something. */
type Times = {
  fromMs: number
  untilMs: number
  isGuess: boolean //         the ledger has lost its beat: an operator may know better since when
  closedAt: LedgerMark | null //    the ledger's mark as it was read
  force: boolean
}

/** @throws RefusedOrder while money is open. */
async function closedTimes({ action, force }: BooksOrder, redis: Redis, witness: Redis): Promise<Times> {
  const { mark, nowMs, seen } = await readMarks(redis, witness)
  if (seen === 'away') throw new RefusedOrder('REDIS_URL: does not answer, and it holds the witness')
  const state = judgeMarks(mark, seen, nowMs)
  if (state === 'open' && !force)
    throw new RefusedOrder(
      `--${action}: money is open, and the ledger agrees with its witness. --force does it all the same`,
    )
  const knows = mark !== null && state !== 'other'
  const wasOpenMs = seen !== null && state !== 'open' && state !== 'unwitnessed' ? seen.beat : null
  return {
    fromMs: knows ? mark.beat - LOOK_BACK_MS : nowMs - LOST_MS,
    untilMs: wasOpenMs === null ? nowMs : Math.min(nowMs, wasOpenMs + CLOSED_AFTER_MS),
    isGuess: !knows,
    closedAt: mark,
    force,
  }
}

/**
 * The worker joins too, and may finish first: from then on an unknown transfer may be from a buyer who has just paid.
 */
async function refuseOpened({ closedAt, force }: Times, redis: Redis): Promise<void> {
  const { mark } = await readLedger(redis)
  const isSame = mark?.epoch === closedAt?.epoch && mark?.beat === closedAt?.beat
  if (!isSame && !force) throw new RefusedOrder('money has opened meanwhile: look again')
}

/** One rail. @returns how much of it is unexplained. */
async function goThrough(
  place: TokenPlace,
  order: BooksOrder,
  times: Times | null,
  redis: Redis,
  news: Redis,
): Promise<number> {
  const nowMs = Date.now()
  const chain = createPaymentChain({ rpcUrl: place.rpcUrl, log, timeoutMs: 1 * MINUTE, patience: {} })
  const ledger = createLedgerView({
    redis,
    chainId: place.chainId,
    rail: place.rail,
    intents: createIntentLedger(redis),
    ledger: createRedisLedger(redis, news, { answerTtlMs: 1 }), //  it writes nothing
  })
  try {
    if (order.action === 'book') return await book(place, order, redis, { chain, ledger, nowMs })
    const asked = { ...place, ...(await rangeOf(place, order, times, chain, nowMs)) }
    const ports = { chain, ledger, nowMs }
    if (order.action === 'rebuild' && times !== null)
      return await rebuild(place.rail, asked, times, redis, ports, order.json)
    const isAll = order.action === 'join' && order.from === null && order.receivers.length === 0
    return await look(
      place.rail,
      asked,
      ports,
      order.json,
      isAll ? await createFollowed(redis, place, asked, ports) : {},
    )
  } finally {
    await chain.close()
  }
}

type Looking = {
  each?(part: Part): Promise<void>
  end?(books: WholeBooks): Promise<WholeBooks> // once the range is complete
}

/** Prints what became of the money, even if it fails before the end. @returns how much of it is unexplained. */
async function look(
  rail: BookId,
  asked: PartsAsked,
  ports: BooksPorts & { nowMs: number },
  json: boolean,
  { each, end }: Looking = {},
): Promise<number> {
  let books = noBooks({ ...asked, from: asked.after == null ? asked.from : asked.after.number + 1n })
  try {
    for await (const part of joinBooks(asked, ports)) {
      await each?.(part)
      books = withPart(books, part)
    }
    if (end !== undefined) books = await end(books)
  } finally {
    if (books.until >= books.from)
      process.stdout.write(json ? booksJson(rail, books) : renderBooks(rail, books, ports.nowMs))
  }
  return books.unexplainedCount + (books.unlistedFrom === null ? 0 : 1)
}

/**
 * Adds what the worker follows from outside the range, judged anew: its alarm counts that, and would otherwise send an
 * operator to a report that says that all is explained.
 */
async function createFollowed(
  redis: Redis,
  { rail }: TokenPlace,
  asked: BooksAsked,
  ports: BooksPorts & { nowMs: number },
): Promise<Looking> {
  const open = await readOpenItems(redis, rail)
  const items = new Map(open?.items.map((item) => [nameOf(item), item]))
  return {
    async each({ unexplained }) {
      for (const entry of unexplained) items.delete(nameOf(entry))
    },
    async end(books) {
      const first = await blockOf(ports.chain, asked.from)
      const sinceMs = open?.unlistedSinceMs ?? null
      const isOlder = sinceMs !== null && sinceMs < first.timeMs
      return withFollowed(books, {
        items: await stillOpen(items.values(), first.timeMs, asked, ports),
        unlistedFrom: isOlder ? await blockSince(ports.chain, first, { sinceMs }) : null,
      })
    },
  }
}

/** Does what `look` does, and books unknown transfers part by part; after a failure it resumes where it stopped. */
async function rebuild(
  rail: BookId,
  asked: BooksAsked,
  times: Times,
  redis: Redis,
  ports: BooksPorts & { nowMs: number },
  json: boolean,
): Promise<number> {
  const { closedAt, force } = times
  const progress = closedAt === null || force ? null : createProgress(redis, rail, 'rebuilt', closedAt)
  const after = (await progress?.after(asked.from, ports.chain)) ?? null
  const sum = { booked: 0, later: 0 }
  const each = async (part: Part) => {
    await refuseOpened(times, redis)
    const { booked, later } = await bookUnknown(redis, part, times.untilMs)
    await progress?.keep(asked.from, part.end)
    sum.booked += booked
    sum.later += later
  }
  const unexplained = await look(rail, { ...asked, after }, ports, json, { each })
  const left = sum.later === 0 ? '' : `, ${sum.later} left that came when money was closed`
  const before = after === null ? '' : `; those up to block ${after.number} by an earlier run`
  process.stderr.write(`${rail}: ${sum.booked} ordinary transfers booked${left}${before}\n`)
  return unexplained
}

/**
 * The blocks to read on a rail.
 * @throws RefusedOrder if the order begins after the newest block: of no blocks all would be explained, and money open;
 * or if it ends after it.
 * @throws UnavailableError if the node does not have all of them.
 */
async function rangeOf(
  place: TokenPlace,
  order: BooksOrder,
  times: Times | null,
  chain: ClosableChain,
  nowMs: number,
): Promise<Pick<BooksAsked, 'from' | 'until'>> {
  const isNamed = place.rail === (order.rail ?? 'usdc_base') //  a block number belongs to the rail that was asked for
  const given = isNamed ? order.from : null
  const refuseAhead = (newest: bigint) => {
    if (given !== null && given > newest)
      throw new RefusedOrder(`--from-block: is after the newest block, ${newest}`)
  }
  if (times === null) {
    const until = order.until ?? (await headNow(chain, nowMs)).number
    await refuseUnmined(order, chain, nowMs)
    refuseAhead(until)
    const day = 24n * place.hour
    return { from: given ?? (until > day ? until - day : 0n), until }
  }
  const head = await headNow(chain, nowMs)
  refuseAhead(head.number)
  if (given !== null && times.isGuess) return { from: given, until: head.number }
  const since = await everyBlockSince(chain, head, times.fromMs)
  return { from: given !== null && given < since ? given : since, until: head.number }
}

/** The newest block is asked for only if the last one is lacking, and of a node that does not lag (CHN-04). */
async function refuseUnmined({ until }: BooksOrder, chain: ClosableChain, nowMs: number): Promise<void> {
  if (until === null || (await chain.blockAt(until)) !== null) return
  const { number: newest } = await headNow(chain, nowMs)
  if (until > newest) throw new RefusedOrder(`--to-block: is after the newest block, ${newest}`)
}

/** @returns how many transactions are not there, and no sale was reversed for. */
async function book(
  place: TokenPlace,
  { transactions }: BooksOrder,
  redis: Redis,
  ports: BooksPorts & { chain: ClosableChain; nowMs: number },
): Promise<number> {
  let missing = 0
  for (const tx of transactions) {
    const booked = await bookOne(redis, tx, place, ports)
    const gone = booked === null ? await bookGone(redis, tx, place, ports) : []
    const words =
      booked === null ? ['is not on the chain', ...gone.map(renderGone)] : [`${booked} transfers booked`]
    process.stdout.write(`${tx}: ${words.join('; ')}\n`)
    const isLeft = gone.length === 0 || gone.some(({ outcome }) => outcome === 'watched')
    if (booked === null && isLeft) missing++
  }
  return missing
}
