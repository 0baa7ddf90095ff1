import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Files without state of the process: run one after the other in few processes, which saves each of them a start. */
const PURE = ['test/api/**/*.test.ts', 'test/engine/core/**/*.test.ts', 'test/ingest/venues/**/*.test.ts']

const common = {
  pool: 'forks' as const,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  teardownTimeout: 20_000,
}

/** Real processes in the tests: few workers, generous limits; what starts many has a process of its own. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { ...common, name: 'served', include: ['test/**/*.test.ts'], exclude: PURE },
      },
      { extends: true, test: { ...common, name: 'pure', include: PURE, isolate: false } },
    ],
  },
})
