import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives back the bytes of the pages that were read. They lie outside the heap and die young, but what the heap sees of
 * them is some small objects: left alone it notices by the bytes alone, and looks through everything we know of all
 * markets, once every few pages. That was half of what a sweep cost. Looking only at what is young costs 1 ms.
 */
export function freePage(): void {
  minor({ type: 'minor', execution: 'sync' })
}

type Gc = (options: { type: 'minor'; execution: 'sync' }) => void

/** Asked for here and not on the command line, so that every way to start ingest has it. */
const minor: Gc = exposed()

function exposed(): Gc {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Gc
}
