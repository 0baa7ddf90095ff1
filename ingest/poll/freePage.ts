import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Frees the bytes of the pages that were read. They lie outside the heap and die young, but the heap only sees a few
 * small objects for them: left alone, V8 reacts to the external bytes alone, and collects the whole heap, with
 * everything we know of all markets, every few pages. That was half the cost of a sweep. A minor collection costs 1 ms.
 */
export function freePage(): void {
  minor({ type: 'minor', execution: 'sync' })
}

type Gc = (options: { type: 'minor'; execution: 'sync' }) => void

/** Enabled here and not on the command line, so that it holds for every way of starting ingest. */
const minor: Gc = exposed()

function exposed(): Gc {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Gc
}
