import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest, longest first: begun late, one of them would keep the last worker alone. */
const LONG = [
  'supervise/start',
  'ops/drainStream',
  'money/crash',
  'money/credits',
  'storm/storm',
  'ingest/main',
  'money/facilitator',
  'browser/pages',
  'supervise/tree',
  'ingest/sandbox',
  'money/ledgerAway',
  'ops/heap',
  'purchase/buy',
  'purchase/commands',
  'money/clocks',
  'money/rebuild',
  'money/store',
  'history/drains',
  'history/export',
  'data/data',
  'spec/cardpay',
  'money/switchedSettlement',
  'browser/tryBox',
  'money/pass',
  'money/refusedPayments',
  'money/joinParts',
  'stages/engines',
  'money/guesses',
  'sandbox/clickhouseAnalyst',
  'money/grants',
  'settlement/settlerAccount',
  'money/restored',
  'money/readiness',
  'browser/live',
  'settlement/settlerCrash',
  'money/longAgo',
  'sandbox/clickhouseParams',
  'sandbox/clickhouseDurability',
  'engine/generatedWorld',
  'stages/publisher',
  'money/canaries',
  'ops/usage',
  'http/server',
  'history/queries',
  'bench/main',
  'sandbox/venuesMarkets',
  'money/drain',
  'ops/lead',
  'money/facilitatorFailover',
  'money/fullDisk',
  'sandbox/venuesGenerator',
  'money/workerClock',
  'money/facilitatorRefusals',
  'spec/openapi',
  'purchase/hostile',
  'history/emptied',
  'money/reconcileFence',
  'storefront/tools',
  'money/submittedElsewhere',
  'money/replay',
  'money/booksWatch',
  'spec/mcp',
  'worker/settling',
  'sandbox/venuesPaging',
  'ingest/sweepVenue',
  'ledger/brokenRows',
  'sniff/patterns',
  'ingest/lostSecond',
  'ops/migrate',
  'browser/cardpay',
  'ops/atBoot',
  'spec/utility',
  'spec/edge',
  'live/routes',
  'pairing/pairer',
  'sandbox/venuesWire',
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
    maxWorkers: 6,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 20_000 } }, // its own is one second
  },
})
