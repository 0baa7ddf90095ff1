import { randomUUID } from 'node:crypto'
import { UnavailableError } from '../../ops/errors.ts'
import { SECOND } from '../../ops/units.ts'
import type { Spent } from '../ledger/ledger.ts'

/** Takes calls from rows by digest, all in one step; repeating an operation takes nothing again. */
export type SpendCalls = (
  operation: string,
  wanted: ReadonlyMap<string, number>,
) => Promise<Map<string, Spent>>

export type Call = 'unknown' | 'expired' | 'used_up' | { left: number; expiresMs: number }

export type Meter = {
  /**
   * Takes one call. Rejects with UnavailableError: `busy` if the store was never asked, so that nothing is taken; else
   * the outcome is unknown, and the call may be taken.
   */
  take(digest: string): Promise<Call>
}

/** Calls that may wait for the store; beyond, callers are turned away at once. */
const MAX_WAITING = 20_000
/** Calls in one step of the store: about a millisecond of its time. */
const MAX_BATCH = 1_000
const TRIES = 3
/** The longest a call waits for its turn (I23): a store that hangs must not hold up calls not yet sent to it. */
const WAIT_MS = 5 * SECOND

/**
 * One call costs one round trip, shared with its neighbours: while a step is under way, new calls wait for the next
 * one. A single caller does not wait.
 */
export function createMeter(spend: SpendCalls, waitMs = WAIT_MS): Meter {
  type Waiter = {
    digest: string
    untilMs: number
    resolve(call: Call): void
    reject(error: unknown): void
  }
  let waiting: Waiter[] = []
  let busy = false
  let watch: NodeJS.Timeout | null = null

  /** Waiters are in order of arrival. */
  const refuseUntil = (untilMs: number) => {
    const next = waiting.findIndex((waiter) => waiter.untilMs > untilMs)
    for (const { reject } of waiting.splice(0, next === -1 ? waiting.length : next)) reject(turnedAway())
  }
  const keepWatch = () => {
    if (watch !== null || waiting.length === 0) return
    watch = setTimeout(
      () => {
        watch = null
        refuseUntil(performance.now())
        keepWatch()
      },
      Math.max(1, waiting[0]!.untilMs - performance.now()),
    )
  }

  const settle = async (batch: Waiter[]) => {
    const wanted = new Map<string, number>()
    for (const { digest } of batch) wanted.set(digest, (wanted.get(digest) ?? 0) + 1)
    try {
      const operation = randomUUID()
      const outcome = await insist(() => spend(operation, wanted))
      const taken = new Map<string, number>()
      for (const { digest, resolve } of batch) {
        const nth = (taken.get(digest) ?? 0) + 1
        taken.set(digest, nth)
        resolve(callOf(outcome.get(digest), nth))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
      if (error instanceof UnavailableError) refuseUntil(Number.POSITIVE_INFINITY) //  the store is away for them too
    }
  }
  const run = async () => {
    busy = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      await settle(batch)
    }
    busy = false
  }

  return {
    take: (digest) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= MAX_WAITING) return reject(turnedAway())
        waiting.push({ digest, untilMs: performance.now() + waitMs, resolve, reject })
        if (busy) keepWatch()
        else void run()
      }),
  }
}

/** One call by itself, under its caller's own operation id. */
export const takeCall = async (spend: SpendCalls, operation: string, digest: string): Promise<Call> =>
  callOf((await insist(() => spend(operation, new Map([[digest, 1]])))).get(digest), 1)

const turnedAway = () => new UnavailableError('busy', 'the call was not asked for: nothing is taken')

/** The same operation again when its reply was lost: the store knows whether it was done. */
export async function insist<Outcome>(operate: () => Promise<Outcome>): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await operate()
    } catch (error) {
      if (attempt === TRIES || !(error instanceof UnavailableError)) throw error
    }
  }
}

/** @param nth among the calls of this row in the batch: the first `taken` of them were granted, the last has `left`. */
function callOf(spent: Spent | undefined, nth: number): Call {
  if (spent === undefined || spent.expiresMs === 0) return 'unknown'
  if (nth <= spent.taken) return { left: spent.left + spent.taken - nth, expiresMs: spent.expiresMs }
  return spent.expired ? 'expired' : 'used_up'
}
