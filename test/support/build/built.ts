import { createHash } from 'node:crypto'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { BUILDS, ROOT } from './programs.ts'

const SOURCES = ['api', 'engine', 'ingest', 'ops', 'test']
/** Builds that always stay. An older one goes after KEPT_MS: it may still run, and load more of its modules later. */
const KEPT = 3
const KEPT_MS = 24 * 60 * 60 * 1_000

/**
 * Returns the folder with the programs built from the current sources, and makes it if there is none. Any number of
 * processes may ask at once: each writes its build to a folder beside it, which is then moved into place whole.
 */
export async function ensureBuilt(): Promise<string> {
  const dir = join(BUILDS, await fingerprint())
  const now = new Date()
  if (await isThere(dir)) {
    await utimes(dir, now, now) //  in use
    return dir
  }
  const { bundle } = await import('./bundle.ts')
  const beside = `${dir}.${process.pid}`
  await bundle(beside, dir)
  await rename(beside, dir).catch(() => rm(beside, { recursive: true })) //  somebody else was quicker
  await forgetOld()
  return dir
}

/** Names, sizes and times of all sources and of the lock file. */
async function fingerprint(): Promise<string> {
  const listed = await Promise.all(
    SOURCES.map((folder) => readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })),
  )
  const files = listed
    .flat()
    .filter(({ name }) => name.endsWith('.ts') || name.endsWith('.json'))
    .map(({ parentPath, name }) => join(parentPath, name))
  const facts = await Promise.all(
    [...files, join(ROOT, 'package-lock.json')].map(async (file) => {
      const { size, mtimeMs } = await stat(file)
      return `${file} ${size} ${mtimeMs}`
    }),
  )
  const words = [process.version, process.arch, ...facts.sort()].join('\n')
  return createHash('sha256').update(words).digest('hex').slice(0, 16)
}

async function forgetOld(): Promise<void> {
  const builds = await Promise.all(
    (await readdir(BUILDS)).map(async (name) => {
      const path = join(BUILDS, name)
      return { path, usedMs: (await stat(path).catch(() => null))?.mtimeMs ?? 0 }
    }),
  )
  const old = builds.sort((a, b) => b.usedMs - a.usedMs).slice(KEPT)
  for (const { path, usedMs } of old)
    if (Date.now() - usedMs > KEPT_MS) await rm(path, { recursive: true, force: true })
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
