import { SECOND } from '../../ops/units.ts'
import type { Rail } from './rail.ts'

/** What one rail may cost a pass in looks that failed. */
const FAILING_MS = 10 * SECOND

/**
 * The rail for one pass over many purchases: once looks that failed have taken too long, all others fail at once. A rail
 * whose server hangs would delay the purchases on every other rail by its time limit for each of its own; a look that
 * fails fast, for what it was asked about, takes nobody else's.
 */
export const forOnePass = (rail: Rail): Rail => failingFor(rail, FAILING_MS)

/** The same, except that the first look that failed is the last. */
export const untilItFails = (rail: Rail): Rail => failingFor(rail, 0)

function failingFor(rail: Rail, mostMs: number): Rail {
  let failedMs = 0
  let failure: unknown = null
  const guarded = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    if (failure !== null && failedMs >= mostMs) throw failure
    const sinceMs = performance.now()
    try {
      return await ask()
    } catch (error) {
      failure = error
      failedMs += performance.now() - sinceMs
      throw error
    }
  }
  return {
    ...rail,
    byHash: (...asked) => guarded(() => rail.byHash(...asked)),
    covers: (atMs) => guarded(() => rail.covers(atMs)),
    since: (fromMs) => guarded(() => rail.since(fromMs)),
    lookThrough: (fromMs) => guarded(() => rail.lookThrough(fromMs)),
  }
}
