import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { durabilityProblem } from './durability.ts'
import {
  beatLedger,
  beginLedger,
  judgeMarks,
  type LedgerMark,
  type Looked,
  nameOf,
  newerOf,
  readLedger,
  readWitness,
  tellWitness,
  timeFor,
  type Written,
} from './marks.ts'

/** Why money stays closed, in words, for every state but `open`. */
const WORDS = {
  unchecked: 'the ledger has not been checked yet',
  lost: 'the ledger is empty and was not',
  other: 'the ledger is another one than before',
  older: 'the ledger is an older copy of itself',
  unwitnessed: 'nobody vouches that the ledger is its newest copy',
  /** Its settings are not durable enough; the detail says which. */
  loose: '',
  one: 'LEDGER_REDIS_URL and REDIS_URL are one server, and what loses the ledger would lose its witness',
  secret: 'SERVICE_SECRET_FILE is not the one this ledger was written with',
} as const
type Closed = keyof typeof WORDS

const LOST = 'money is closed; check the store, then run ops/reconcile --rebuild'
const WRONG = 'money is closed until it is set right'
const THEN: Record<Closed, string> = {
  lost: LOST,
  other: LOST,
  older: LOST,
  unchecked: 'money is closed until it is',
  unwitnessed: '', //  see createJoiner
  loose: WRONG,
  one: WRONG,
  secret:
    'money is closed until the former file is back: under another one no account and no open purchase is found',
}

export type Fence = {
  /** The ledger's clock: its last reading, advanced by a clock that nobody sets. Until the first reading, ours. */
  nowMs(): number
  /** Why the ledger must not be used, or null. */
  problem(): string | null
  /** Starts a look; only one runs at a time, and none after `stop`. */
  check(): Promise<void>
  /** Ends the looks, and leaves a mark in the ledger that this process ended in order. */
  stop(): Promise<void>
}

/**
 * Checks whether the ledger knows what the chain has seen since it was last open.
 * @returns null, or why money stays closed.
 */
export type Join = (last: Pick<LedgerMark, 'epoch' | 'beat' | 'ended'>) => Promise<string | null>

const EVERY_MS = 1 * SECOND
/** Pause after a join that failed, for example because the chain did not answer. */
const JOIN_AGAIN_MS = 15 * SECOND

/**
 * Checks the marks at start, every second and after every reconnection; until they agree every command on `guarded`
 * is refused as if the ledger were away, so that nothing is sold, redeemed or found unknown (I24).
 * @param join the worker's; everybody else waits for it.
 */
export async function openFence({
  ledger,
  witness,
  guarded,
  secret,
  join,
  log,
}: {
  ledger: Redis //  a connection of its own
  witness: Redis // another server than the ledger
  guarded: Redis
  secret: Buffer
  join?: Join
  log: Log
}): Promise<Fence> {
  const fingerprint = createHmac('sha256', secret).update('ledger').digest('hex')
  let state = 'unchecked' as Closed | 'open'
  let detail = '' //                 what is wrong in this state
  let mine: Written | null = null // the last mark written by this process
  let looked: Looked | null = null // where it was written, and what must be found there at the end
  let read: { nowMs: number; atMs: number } | null = null // the ledger's clock, and when it was read by our steady one
  let breaks = 0 //                  disconnects of the guarded connection: the next server may be another one
  const words = (of: Closed) => [WORDS[of], detail, THEN[of]].filter(Boolean).join(': ')
  const enter = (next: Closed | 'open', why = '') => {
    const isNew = next !== state || why !== detail
    detail = why
    state = next
    if (isNew && next === 'open') log.info('money is open')
    else if (isNew && next !== 'open' && (next !== 'unchecked' || why !== ''))
      log.error({ state: next }, words(next))
  }
  guard(guarded, () => state === 'open')
  guarded.on('close', () => {
    breaks++
    if (state === 'open') enter('unchecked')
  })

  const joiner = createJoiner(join, check)

  async function look(): Promise<void> {
    const before = breaks
    try {
      const loose = await durabilityProblem(ledger)
      const [server, money, other, told] = await Promise.all([
        runId(ledger),
        runId(guarded),
        runId(witness).catch(() => null),
        readWitness(witness), //  before the ledger, which may only be ahead of it
      ])
      if (server !== null && server === other) return enter('one')
      if (server !== money) {
        //  their name leads elsewhere by now, and nobody knows whose connection is the old one
        for (const one of [ledger, guarded]) one.disconnect(true)
        return enter('unchecked', 'two connections to it lead to two servers')
      }
      let { mark, nowMs } = await readLedger(ledger)
      read = { nowMs, atMs: performance.now() }
      if (judgeMarks(mark, newerOf(told, mine), nowMs) === 'fresh') {
        const begun = await beginLedger(ledger, nowMs)
        mine = begun && { ...begun, atMs: performance.now() }
        mark = (await readLedger(ledger)).mark
      }
      const judgedMs = timeFor(mine, mark, { nowMs, atMs: performance.now() })
      const judged = judgeMarks(mark, newerOf(told, mine), judgedMs)
      if (judged === 'unchecked') return enter(judged, 'it is empty, and its witness does not answer')
      if (judged === 'fresh' || mark === null) return enter(judged === 'lost' ? judged : 'unchecked')
      if (judged !== 'open' && judged !== 'unwitnessed') return enter(judged)
      if (mark.secret !== null && mark.secret !== fingerprint) return enter('secret')
      if (judged === 'unwitnessed' && !joiner.vouchesFor(mark)) {
        joiner.start(mark)
        return enter('unwitnessed', joiner.words())
      }
      if (loose !== null) enter('loose', loose)
      const { epoch } = mark
      const atMs = performance.now()
      const beat = await beatLedger(ledger, { ...mark, server }, fingerprint, 'lives')
      if (beat === null || before !== breaks) return enter('unchecked')
      mine = { epoch, beat, atMs }
      looked = { epoch, beat, server }
      if (told !== 'away') await tellWitness(witness, mine)
      if (before !== breaks) return enter('unchecked') //  what has been checked is not what money would be moved over
      if (loose === null) enter('open')
    } catch (error) {
      const reason = describeError(error)
      if (state === 'unchecked') enter('unchecked', reason)
      else log.debug({ reason }, 'the ledger cannot be checked') //  its commands fail by themselves
    }
  }

  let isStopped = false
  let current = Promise.resolve()
  let next: Promise<void> | null = null
  /** A call during a look gets the next one, since its caller may know something newer. */
  function check(): Promise<void> {
    next ??= current.then(() => {
      next = null
      if (!isStopped) current = look()
      return current
    })
    return next
  }

  await check()
  if (state === 'unwitnessed') {
    await sleep(EVERY_MS) //  the process that has it open tells the witness
    await check()
  }
  const timer = setInterval(check, EVERY_MS).unref()
  guarded.on('ready', check)
  return {
    nowMs: () => (read === null ? Date.now() : Math.floor(read.nowMs + performance.now() - read.atMs)),
    problem: () => (state === 'open' ? null : words(state)),
    check,
    async stop() {
      isStopped = true
      clearInterval(timer)
      guarded.off('ready', check)
      await current //  its beat would take the mark of the end away
      if (state !== 'open' || looked === null) return
      const beat = await beatLedger(ledger, looked, fingerprint, 'ends').catch(() => null)
      if (beat !== null) await tellWitness(witness, { epoch: looked.epoch, beat })
    },
  }
}

/**
 * Has a ledger that nobody vouches for joined with the chain: once for each mark, and again later if that failed.
 * @param then looks again once a join has been answered.
 */
function createJoiner(join: Join | undefined, then: () => Promise<void>) {
  let asked = '' //   the mark that is being joined, or was last
  let vouched = '' // the mark that the chain confirmed
  let words = 'money opens when the worker has joined it with the chain' //  or what the join said
  return {
    vouchesFor: (mark: LedgerMark): boolean => vouched === nameOf(mark),
    words: (): string => words,
    start(mark: LedgerMark): void {
      if (join === undefined || asked === nameOf(mark)) return
      asked = nameOf(mark)
      join(mark).then(
        (problem) => {
          if (problem === null) vouched = nameOf(mark)
          else words = problem
          return then()
        },
        (error) => {
          words = `the worker cannot join it with the chain yet: ${describeError(error)}`
          setTimeout(() => {
            asked = ''
          }, JOIN_AGAIN_MS).unref()
        },
      )
    },
  }
}

/** What a server calls itself, whatever name or path leads to it; null when it does not tell. */
async function runId(redis: Redis): Promise<string | null> {
  try {
    return /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1] ?? null
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return null
    throw error
  }
}

/** While the fence is closed, commands fail immediately and reach no server. */
function guard(redis: Redis, isOpen: () => boolean): void {
  const send = redis.sendCommand.bind(redis)
  redis.sendCommand = (command, stream) => {
    if (isOpen() || CONNECTING.has(command.name)) return send(command, stream)
    command.reject(new Error('the ledger is fenced off'))
    return command.promise
  }
}

/** What the client itself sends when it connects and leaves. */
const CONNECTING: ReadonlySet<string> = new Set(['auth', 'hello', 'info', 'select', 'client', 'quit'])
