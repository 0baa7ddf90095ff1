import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest, longest first: begun late, one of them would keep the last worker alone. */
const LONG = [
  'supervise/start',
  'money/crash',
  'storm/storm',
  'money/facilitator',
  'ingest/sandbox',
  'money/credits',
  'supervise/tree',
  'ingest/main',
  'ops/drainStream',
  'browser/pages',
  'history/drains',
  'purchase/buy',
  'money/ledgerAway',
  'money/clocks',
  'ops/heap',
  'purchase/commands',
  'data/data',
  'money/switchedSettlement',
  'money/store',
  'money/booksWatch',
  'spec/cardpay',
  'browser/tryBox',
  'stages/engines',
  'browser/live',
  'settlement/settlerAccount',
  'money/restored',
  'money/canaries',
  'purchase/hostile',
  'stages/publisher',
  'money/readiness',
  'money/longAgo',
  'money/facilitatorRefusals',
  'bench/main',
  'http/server',
  'settlement/settlerCrash',
  'ops/lead',
  'history/queries',
  'history/emptied',
  'storefront/surfaces',
  'money/workerClock',
  'money/fullDisk',
  'spec/edge',
  'ops/usage',
  'history/export',
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
    maxWorkers: 5,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 20_000 } }, // its own is one second
  },
})
