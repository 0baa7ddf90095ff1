import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { NODE, REPOSITORY, run } from '../support/process.ts'
import type { Mutant } from './mutants.ts'

const LEFT_OUT = new Set(['node_modules', '.git', '.data', '.build'])
/** For starting, drills, finishing and looking, beside the storm itself. */
const AROUND_MS = 240_000

/** The files of a mutant as they read with its mistake. @throws where the source no longer holds what it replaces. */
export async function mutated({ edits }: Mutant): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const source = files.get(file) ?? (await readFile(join(REPOSITORY, file), 'utf8'))
    if (source.split(from).length !== 2) throw new Error(`${file} does not hold exactly once: ${from}`)
    files.set(
      file,
      source.replace(from, () => to),
    )
  }
  return files
}

/**
 * Runs the storm over a copy of the tree with one mistake in it. @returns what was noticed first; null: nothing.
 * @throws when the storm itself came to nothing: that proves neither.
 */
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
    for (const [file, text] of await mutated(mutant)) await writeFile(join(dir, file), text)
    const args = ['test/storm/main.ts', '--seconds', String(seconds), '--seed', String(seed)]
    const running = run(NODE, args, { cwd: dir })
    const timer = setTimeout(() => void running.stop(), seconds * 1_000 + AROUND_MS)
    const { code } = await running.exited
    clearTimeout(timer)
    if (code === 0) return null
    const report = /"violations": \[\s*"([^"]*)/.exec(running.stdout())
    if (report !== null) return report[1]!
    const error = /^\S*Error\b.*/m.exec(running.stderr())?.[0] ?? 'it took too long'
    throw new Error(`the storm ended with code ${code} and without a report: ${error}`)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
