import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What is started as a process or thread of its own, by its source file. */
export const PROGRAMS = [
  ...(['ingest/main.ts', 'engine/main.ts', 'api/main.ts', 'api/worker/main.ts'] as const),
  ...(['api/worker/books/main.ts', 'api/goods/utility/pool/work.ts'] as const),
  ...(['ops/supervise/main.ts', 'ops/supervise/reaperMain.ts', 'ops/purchase/main.ts'] as const),
  ...(['ops/sandbox/clickhouse/main.ts', 'ops/sandbox/chain/main.ts', 'ops/sandbox/venues/main.ts'] as const),
  ...(['ops/sandbox/dns/main.ts', 'ops/sandbox/cardpay/main.ts', 'ops/sandbox/rails/main.ts'] as const),
] as const
export type Program = (typeof PROGRAMS)[number]

export const BUILDS = join(ROOT, '.build')

/** A program as it stands in a build (`dir`); its source where there is none. */
export function builtFile(dir: string, program: string): string {
  const file = join(dir, program.replace(/\.ts$/, '.js'))
  return dir !== '' && existsSync(file) ? file : join(ROOT, program)
}

/** The file to start for a child of ours: from the build that we were started from ourselves, or the source. */
export function programFile(program: Program, self = process.argv[1] ?? ''): string {
  const [, build] = self.startsWith(`${BUILDS}/`) ? self.slice(BUILDS.length).split('/') : []
  return builtFile(build === undefined ? '' : join(BUILDS, build), program)
}
