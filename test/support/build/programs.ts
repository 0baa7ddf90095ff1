import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const BUILDS = join(ROOT, '.build')

/** What tests start as a process or a thread of its own, by its source file. */
export const PROGRAMS = [
  'ingest/main.ts',
  'engine/main.ts',
  'api/main.ts',
  'api/worker/main.ts',
  'api/worker/books/main.ts',
  'api/worker/amends/main.ts',
  'ops/supervise/main.ts',
  'ops/sandbox/clickhouse/main.ts',
  'ops/sandbox/chain/main.ts',
  'ops/sandbox/venues/main.ts',
  'ops/purchase/main.ts',
  'ops/sandbox/dns/main.ts',
  'ops/sandbox/cardpay/main.ts',
  'ops/sandbox/rails/main.ts',
  'api/goods/utility/pool/work.ts',
  'ops/supervise/reaperMain.ts',
  'ops/atBoot.ts',
  'ops/scripts/export.ts',
  'engine/scripts/pairs.ts',
  'api/goods/utility/score.ts',
  'ops/sandbox/pay/main.ts',
  'test/ops/support/drainFactsMain.ts',
  'test/api/settlement/settlerChild.ts',
  'test/ops/supervise/standIn.ts',
  'test/ops/supervise/standInTree.ts',
] as const

/** The file of a program in the build `dir`; its source if it is not there. */
export function builtFile(dir: string, program: string): string {
  const file = join(dir, program.replace(/\.ts$/, '.js'))
  return dir !== '' && existsSync(file) ? file : join(ROOT, program)
}
