import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Real processes in the tests: few workers, generous limits, each file in a process of its own. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
  },
})
