import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { redisScript } from '../../ops/redisScript.ts'
import { SECOND } from '../../ops/units.ts'
import { durabilityProblem } from './durability.ts'

/*
 * A ledger that lost its data says so of nothing: empty or a day old it would take payments, call sold passes unknown and
 * sell spent transfers again (faults DATA-03, DATA-04). So it carries an epoch and a beat, and a witness outside it
 * remembers both. The ledger is always written first: one that is behind its witness has lost something. One whose settings do not
 * keep what it is given is not given anything (I24).
 */
const EPOCH = 'ledger:epoch'
const BEAT = 'ledger:beat'
const WITNESS = 'witness:ledger'

/** `beat`: Unix ms of the newest sign of life. */
export type Mark = { epoch: string; beat: number }
/** 'away': the store does not answer. */
export type Seen = Mark | null | 'away'

export type FenceState = 'open' | 'unchecked' | 'lost' | 'other' | 'older'
/** `loose`: its settings do not keep what it is given. */
type State = FenceState | 'loose'
const WORDS: Record<Exclude<FenceState, 'open'>, string> = {
  unchecked: 'the ledger has not been checked yet',
  lost: 'the ledger is empty and was not',
  other: 'the ledger is another one than before',
  older: 'the ledger is an older copy of itself',
}
const THEN = 'money is closed; check the store, then run ops/reconcile --rebuild'
const THEN_SETTINGS = 'money is closed until it is set right'

/** What the two marks say together. 'fresh': a first start, nobody has seen a ledger. Pure. */
export function judgeMarks(ledger: Mark | null, witness: Seen): FenceState | 'fresh' {
  if (ledger === null) return witness === null ? 'fresh' : witness === 'away' ? 'unchecked' : 'lost'
  if (witness === null || witness === 'away') return 'open'
  if (witness.epoch !== ledger.epoch) return 'other'
  return ledger.beat < witness.beat ? 'older' : 'open'
}

export type Fence = {
  /** Why the ledger must not be used, or null. */
  problem(): string | null
  check(): Promise<void>
  stop(): void
}

const EVERY_MS = 1 * SECOND

/** The beat never goes back, whoever was stopped in the middle of his or has a clock that is behind. */
const advance = redisScript(`
local beat = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[1]))
redis.call('SET', KEYS[1], string.format('%.0f', beat))
return string.format('%.0f', beat)`)

/**
 * Checks the marks at start, every second and after every reconnection; until they agree every command on `guarded`
 * is refused as if the ledger were away, so that nothing is sold, redeemed or found unknown.
 * @param beats the worker keeps the beat; everybody else only looks.
 */
export async function openFence({
  ledger,
  witness,
  guarded,
  beats,
  log,
}: {
  ledger: Redis //  a connection of its own
  witness: Redis // another store than the ledger
  guarded: Redis
  beats: boolean
  log: Log
}): Promise<Fence> {
  let state: State = 'unchecked'
  let setting = '' //  what is wrong with it, while loose
  const words = (of: Exclude<State, 'open'>) =>
    of === 'loose' ? `${setting}: ${THEN_SETTINGS}` : `${WORDS[of]}: ${THEN}`
  const enter = (next: State) => {
    if (next !== state && next === 'open') log.info('money is open')
    else if (next !== state && next !== 'open' && next !== 'unchecked')
      log.error({ state: next }, words(next))
    state = next
  }
  guard(guarded, () => state === 'open')
  guarded.on('close', () => {
    if (state === 'open') enter('unchecked')
  })

  async function check(): Promise<void> {
    try {
      const loose = await durabilityProblem(ledger)
      const seen = await readMark(() => witness.get(WITNESS)) //  first: the ledger may only be ahead of it
      let mark = await readLedger(ledger)
      if (judgeMarks(mark, seen) === 'fresh') {
        await ledger.set(EPOCH, randomUUID(), 'NX')
        mark = await readLedger(ledger)
      }
      const judged = judgeMarks(mark, seen)
      if (judged === 'open' && mark !== null) {
        const beat = beats ? Number(await advance(ledger, [BEAT], [Date.now()])) : mark.beat
        if (seen !== 'away' && (beats || seen === null))
          await witness.set(WITNESS, JSON.stringify({ epoch: mark.epoch, beat })).catch(() => {})
      }
      setting = loose ?? ''
      if (judged === 'open' && loose !== null) enter('loose')
      else enter(judged === 'fresh' ? 'unchecked' : judged)
    } catch (error) {
      log.debug({ reason: describeError(error) }, 'the ledger cannot be checked') //  its commands fail by themselves
    }
  }
  await check()
  const timer = setInterval(check, EVERY_MS).unref()
  guarded.on('ready', check)
  return {
    problem: () => (state === 'open' ? null : words(state)),
    check,
    stop: () => clearInterval(timer),
  }
}

/** The operator has looked: this ledger is the right one from now on. */
export async function renewEpoch(ledger: Redis, witness: Redis): Promise<void> {
  const mark: Mark = { epoch: randomUUID(), beat: Date.now() }
  await ledger.mset(EPOCH, mark.epoch, BEAT, mark.beat)
  await witness.set(WITNESS, JSON.stringify(mark))
}

async function readLedger(ledger: Redis): Promise<Mark | null> {
  const [epoch, beat] = await ledger.mget(EPOCH, BEAT)
  return epoch == null ? null : { epoch, beat: Number(beat ?? 0) }
}

async function readMark(read: () => Promise<string | null>): Promise<Seen> {
  let text: string | null
  try {
    text = await read()
  } catch {
    return 'away'
  }
  return text === null ? null : (JSON.parse(text) as Mark)
}

/** Commands while the fence is closed fail at once and reach no server. */
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
