import { assert, describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { DAY, MINUTE, SECOND } from '../../ops/units.ts'
import { forOnePass } from '../rails/forOnePass.ts'
import { lapse, NOTHING_GONE, payingOf, refund } from './book.ts'
import { REFUND_AFTER_MS } from './deliver.ts'
import { discover, type Guard } from './discover.ts'
import { type Intent, isHeld, isOver, isWaiting, type Note, nextState } from './intent.ts'
import { change, readIntent } from './money.ts'
import type { MoneyPorts } from './ports.ts'
import { lookForSought } from './seek.ts'
import { lookAtSeen } from './vanish.ts'
import { goneOf, isThere, sumsOf, whereaboutsOf } from './whereabouts.ts'

/** Intents handled in one pass of a list. */
const SWEPT = 200
/** A transfer that was seen and never got deep enough is given up after this. */
const SEEN_KEPT_MS = 3 * DAY
/** A note is held this long for its money to return to its chain. */
export const HELD_MS = 7 * DAY
/** Buyers have this long to fetch a paid answer; after that the money becomes store credit. */
const UNCLAIMED_MS = 1 * DAY
/**
 * An intent that a look did not change waits this long for the next one: however many there are, each gets its turn.
 */
const LOOK_AGAIN_MS = 1 * MINUTE
/** An intent that a request may be working on is left to it for this long. */
const LEFT_ALONE_MS = 10 * SECOND

export const WATCHED = ['taken', 'lapsed', 'refunded', 'failed', 'unread'] as const
/** How many intents, and `unread`: how many rails are far behind and did not get on. */
export type Watched = Record<(typeof WATCHED)[number], number>
/** Told at once: a pass that breaks off later must not lose it. @param times at least 1. */
type OnOutcome = (outcome: keyof Watched, times: number) => void

/**
 * One pass over all open intents, without a client: transfers that arrived are taken for the intent that waits for
 * their amount, expired intents end, and what could not be delivered or is not fetched becomes store credit. Nothing is
 * answered here: the buyer's request does that, with the newest data. Safe to run twice, and beside requests.
 */
export async function watchIntents(all: MoneyPorts & { log: Log; onOutcome?: OnOutcome }): Promise<Watched> {
  const ports = { ...all, rails: all.rails.map(forOnePass) }
  const counts: Watched = { taken: 0, lapsed: 0, refunded: 0, failed: 0, unread: 0 }
  const count = (outcome: keyof Watched, times = 1): void => {
    counts[outcome] += times
    if (times > 0) all.onOutcome?.(outcome, times)
  }
  const guard: Guard = async (work) => {
    try {
      await work()
    } catch (error) {
      count('failed')
      ports.log.warn({ reason: describeError(error) }, 'an intent waits for another look')
    }
  }
  const nowMs = ports.clock.nowMs()
  const { taken, unread } = await discover(ports, nowMs, guard)
  count('taken', taken)
  count('unread', unread)
  for (const name of await ports.intents.waiting(SWEPT, nowMs))
    await guard(async () => {
      if (await endWaiting(name, ports, nowMs, guard)) count('lapsed')
    })
  for (const name of await ports.intents.unanswered(SWEPT, nowMs - LEFT_ALONE_MS))
    await guard(async () => {
      if (await closeUnanswered(name, ports, nowMs)) count('refunded')
    })
  await guard(() => lookForSought(ports, guard)) //  last: made-up transactions must not delay anything
  return counts
}

/** An intent that waits for money: ends it if its grace is over. @returns whether this look has ended it. */
async function endWaiting(name: string, ports: MoneyPorts, nowMs: number, guard: Guard): Promise<boolean> {
  await ports.intents.putOff(name, 'waiting', nowMs + LOOK_AGAIN_MS)
  const read = await readIntent(name, ports)
  assert(read !== null, 'an intent that waits is known')
  const { state, seen } = read.intent
  if (state === 'Seen' && seen !== null) await guard(() => lookAtSeen(name, seen, ports))
  const gone = await goneAtEnd(read.intent, ports, nowMs)
  if (gone === null) return false //  a server cannot tell: nothing is given for it yet
  let wasOver = false //  by another worker
  const end = (intent: Intent): Intent => {
    wasOver = isOver(intent)
    return endOf(intent, nowMs, gone)
  }
  const ended = await change(name, end, ports)
  if (ended === 'taken' || !isOver(ended)) return false //  it may have been paid since it was listed
  await release(name, ended, ports)
  return !wasOver
}

/**
 * An intent with money and without an answer, or with a note that is not given yet: gives it up when its time is over,
 * and looks where held money is. @returns whether this look has made store credit of what paid for it.
 */
async function closeUnanswered(name: string, ports: MoneyPorts, nowMs: number): Promise<boolean> {
  await ports.intents.putOff(name, 'unanswered', nowMs + LOOK_AGAIN_MS)
  const read = await readIntent(name, ports)
  if (read === null) return false
  const { intent } = read
  const isRefund = closeOf(intent, nowMs).state === 'Refunded' && intent.state !== 'Refunded'
  const gone = isRefund ? await goneOf(intent, ports.rails) : NOTHING_GONE
  if (gone === null || (isAllGone(intent, gone) && !isGivenUp(intent, nowMs))) return false //  nothing to give back
  await lookAtHeld(name, intent, ports, nowMs)
  let isMine = false //  another worker may have given it up meanwhile
  const close = (now: Intent): Intent => {
    isMine = now.state !== 'Refunded'
    return closeOf(now, nowMs, gone)
  }
  const after = await change(name, close, ports)
  if (after === 'taken') return false
  const dueMs = after.state === 'Confirmed' && after.failedMs !== null ? after.failedMs + REFUND_AFTER_MS : 0
  if (dueMs > nowMs) await ports.intents.putOff(name, 'unanswered', dueMs - LEFT_ALONE_MS)
  if (after.state !== 'Refunded') return false
  await release(name, after, ports)
  return isMine
}

/** Which parts have left their chain when an intent's time ends with less than was due. null: no server can tell. */
async function goneAtEnd(
  intent: Intent,
  { rails }: MoneyPorts,
  nowMs: number,
): Promise<ReadonlySet<string> | null> {
  const isEnd = intent.state === 'Underpaid' && intent.graceUntilMs <= nowMs
  return isEnd ? await goneOf(intent, rails) : NOTHING_GONE
}

/** What an intent becomes when its grace is over. One whose money was seen goes on waiting. */
function endOf(intent: Intent, nowMs: number, gone: ReadonlySet<string>): Intent {
  if (intent.graceUntilMs > nowMs) return intent
  if (intent.state === 'Seen' && intent.graceUntilMs + SEEN_KEPT_MS > nowMs) return intent
  if (isWaiting(intent)) return lapse(intent, gone, nowMs)
  return closeOf(intent, nowMs)
}

/** What a paid intent becomes when it has no answer: nobody asked for it, or it could not be given. */
function closeOf(intent: Intent, nowMs: number, gone = NOTHING_GONE): Intent {
  if (intent.state !== 'Confirmed') return intent
  if (intent.claimed) return { ...intent, state: nextState(intent.state, 'delivered') }
  if (intent.failedMs !== null && nowMs - intent.failedMs >= REFUND_AFTER_MS)
    return refund(intent, gone, nowMs)
  const cost = intent.transfers.some(({ pays }) => pays) //  credit alone is only held until the grace is over
  const endMs = cost ? (intent.confirmedMs ?? nowMs) + UNCLAIMED_MS : intent.graceUntilMs
  return nowMs < endMs ? intent : refund(intent, gone, nowMs)
}

const isAllGone = (intent: Intent, gone: ReadonlySet<string>): boolean =>
  gone.size > 0 && gone.size === payingOf(intent).length

/** All of its money is gone: it is waited for as long after the end as a part of it would be held. */
const isGivenUp = ({ confirmedMs }: Intent, nowMs: number): boolean =>
  nowMs >= (confirmedMs ?? nowMs) + UNCLAIMED_MS + HELD_MS

/** Money of a refund that had left its chain: it is given once it is back, and given up after a time. */
async function lookAtHeld(name: string, intent: Intent, ports: MoneyPorts, nowMs: number): Promise<void> {
  for (const { lot, goneMs, transfers: keys } of intent.notes.filter(isHeld)) {
    const money = intent.transfers.filter(({ key }) => keys.includes(key))
    const isBack = isThere(await whereaboutsOf(money, ports.rails, sumsOf(intent)))
    const isOver = nowMs - (goneMs ?? nowMs) >= HELD_MS
    if (!isBack && !isOver) continue
    const settle = (note: Note): Note[] => {
      if (note.lot !== lot || !isHeld(note)) return [note]
      return isBack ? [{ ...note, goneMs: null, revoked: false }] : []
    }
    await change(name, (now) => ({ ...now, notes: now.notes.flatMap(settle) }), ports)
  }
}

async function release(name: string, { hold }: Intent, { credits }: MoneyPorts): Promise<void> {
  if (hold !== null) await credits.endHold(name, hold.account, 'released')
}
