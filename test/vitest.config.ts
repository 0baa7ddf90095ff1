import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest, longest first: begun late, one of them would keep the last worker alone. */
const LONG = [
  'storm/storm',
  'browser/pages',
  'data/data',
  'ingest/sandbox',
  'money/facilitator',
  'ingest/main',
  'money/crash',
  'supervise/start',
  'purchase/buy',
  'browser/tryBox',
  'browser/live',
  'purchase/commands',
  'supervise/tree',
  'money/ledgerAway',
  'settlement/settlerCrash',
  'history/drains',
  'http/server',
  'bench/main',
  'money/store',
  'spec/cardpay',
  'money/canaries',
  'money/drain',
  'ops/drainStream',
  'stages/engines',
  'money/credits',
  'classic/chain',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
      return at === -1 ? LONG.length : at
    }
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

/**
 * Real processes in the tests: few workers, generous limits. Modules are read once for all files of a worker: a file ends
 * what it starts, and leaves the process as it was.
 */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/random.ts'],
    pool: 'forks',
    maxWorkers: 4,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 20_000 } }, // its own is one second
  },
})
