import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { NODE, REPOSITORY, run } from '../support/process.ts'
import type { Mutant } from './mutants.ts'

const LEFT_OUT = new Set(['node_modules', '.git', '.data'])
/** For starting, finishing and looking, beside the storm itself. */
const AROUND_MS = 300_000

/** Runs the storm over a copy of the tree with one mistake in it. @returns what was noticed first; null: nothing. */
export async function isNoticed(
  mutant: Mutant,
  { seconds, seed }: { seconds: number; seed: number },
): Promise<string | null> {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-mutant-'))
  try {
    await cp(REPOSITORY, dir, {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(basename(source)) || source === REPOSITORY,
    })
    await symlink(join(REPOSITORY, 'node_modules'), join(dir, 'node_modules'))
    const file = join(dir, mutant.file)
    const source = await readFile(file, 'utf8')
    if (!source.includes(mutant.from)) throw new Error(`${mutant.file} no longer holds: ${mutant.from}`)
    await writeFile(
      file,
      source.replace(mutant.from, () => mutant.to),
    )
    const args = ['test/storm/main.ts', '--seconds', String(seconds), '--seed', String(seed)]
    const running = run(NODE, args, { cwd: dir })
    const timer = setTimeout(() => void running.stop(), seconds * 1_000 + AROUND_MS)
    const { code } = await running.exited
    clearTimeout(timer)
    if (code === 0) return null
    const report = /"violations": \[\s*"([^"]*)/.exec(running.stdout())
    return (
      report?.[1] ?? `the storm ended with code ${code}: ${running.stderr().trim().split('\n').at(-1) ?? ''}`
    )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
