import { type Clock, steadyClock } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import type { ChainHead } from './port.ts'

const LOOK_EVERY_MS = 5 * SECOND
/** The newest block we know of is up to a look and a block time old, so a clock that is ahead of it by less may be right. */
const MOST_AHEAD_MS = 10 * SECOND
/** A node that catches up shows minutes of blocks in seconds, and they say nothing about the present. */
const CATCHING_UP_MS = 20 * SECOND
/** The first block counts for so long, until another shows that the node keeps up. */
const FIRST_COUNTS_MS = 5 * SECOND
/** Within that time a block should have come. */
const FIRST_LOOKS_EVERY_MS = 1 * SECOND

export type BlockClock = Clock & {
  /** The time of the newest block, counted on: it is at least so late. 0 before the first look. */
  readonly newestBlock: Clock
  /** Reads the newest block. @throws UnavailableError */
  look(): Promise<void>
  /** Looks every five seconds from now on. @returns how to end that. */
  follow(): () => void
}

/**
 * The given clock, unless it is far ahead of the chain: then the time of the newest block, counted on by a clock that nobody sets.
 * Nor does it stay behind the newest block, as long as `later` says that it is so late: no transfer to come is in an earlier one.
 *
 * Transfers are dated by their block. An intent dated by a clock that is ahead would refuse the money sent for it as older than
 * itself (VAL-10, I4). Comparing the clocks of process and ledger does not help where the whole host is ahead.
 */
export function createBlockClock({
  clock,
  later = clock,
  head,
  log,
  steady = steadyClock,
}: {
  clock: Clock
  later?: Clock
  head(): Promise<Pick<ChainHead, 'number' | 'timeMs'>>
  log: Log
  steady?: Clock
}): BlockClock {
  let last: { number: bigint; timeMs: number; atMs: number } | null = null
  let startMs: number | null = null //  chain time at the steady clock's zero; null: no block says
  let untilMs = Number.POSITIVE_INFINITY //  by the steady clock: for so long that counts
  let isAhead = false

  const look = async () => {
    const { number, timeMs } = await head()
    const atMs = steady.nowMs()
    if (last === null) {
      startMs = timeMs - atMs
      untilMs = atMs + FIRST_COUNTS_MS
    } else {
      if (number <= last.number) return
      const isCatchingUp = timeMs - last.timeMs > atMs - last.atMs + CATCHING_UP_MS
      const known = atMs < untilMs ? startMs : null
      startMs = isCatchingUp ? null : Math.max(known ?? Number.NEGATIVE_INFINITY, timeMs - atMs)
      untilMs = Number.POSITIVE_INFINITY
      tell(clock.nowMs() - notAhead())
    }
    last = { number, timeMs, atMs }
  }

  const nowMs = (): number =>
    last === null ? notAhead() : Math.max(notAhead(), Math.min(last.timeMs, later.nowMs()))

  function notAhead(): number {
    const ours = clock.nowMs()
    const atMs = steady.nowMs()
    if (startMs === null || atMs >= untilMs) return ours
    const chains = Math.floor(startMs + atMs)
    return ours - chains > MOST_AHEAD_MS ? chains : ours
  }

  function tell(aheadMs: number): void {
    if (aheadMs > 0 === isAhead) return
    isAhead = aheadMs > 0
    if (isAhead) log.error({ aheadMs }, 'our clocks are ahead of the chain: intents are dated by its blocks')
    else log.info({}, 'our clocks agree with the chain again')
  }

  function follow(): () => void {
    let looks = 0
    let timer: NodeJS.Timeout
    let isOver = false
    const lookAndWait = async () => {
      await look().catch((error) =>
        log.debug({ reason: describeError(error) }, 'the newest block is not known'),
      )
      if (isOver) return
      looks++
      const isFirst = looks * FIRST_LOOKS_EVERY_MS < FIRST_COUNTS_MS
      timer = setTimeout(lookAndWait, isFirst ? FIRST_LOOKS_EVERY_MS : LOOK_EVERY_MS).unref()
    }
    void lookAndWait()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }

  const newestBlock: Clock = {
    nowMs: () => (last === null ? 0 : Math.floor(last.timeMs + steady.nowMs() - last.atMs)),
  }
  return { nowMs, newestBlock, look, follow }
}
