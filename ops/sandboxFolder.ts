import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** What the supervisor leaves in the data folder of a sandbox. */
export const SANDBOX_FILE = 'sandbox.json'

const PROBE_TIMEOUT_MS = 2_000
const Here = z.looseObject({ url: z.url({ protocol: /^https?$/ }) })

/** The data folder below `worldsDir` whose sandbox was started last and answers; null: none does. */
export async function runningSandbox(worldsDir: string): Promise<string | null> {
  for (const dir of await newestFirst(worldsDir)) {
    const file = Here.safeParse(await readJson(join(dir, SANDBOX_FILE)))
    if (file.success && (await answers(file.data.url))) return dir
  }
  return null
}

async function newestFirst(worldsDir: string): Promise<string[]> {
  const names = await readdir(worldsDir).catch(() => [])
  const worlds = await Promise.all(
    names.map(async (name) => {
      const dir = join(worldsDir, name)
      const written = await stat(join(dir, SANDBOX_FILE)).catch(() => null)
      return { dir, writtenMs: written?.mtimeMs ?? 0 }
    }),
  )
  return worlds
    .filter(({ writtenMs }) => writtenMs > 0)
    .sort((a, b) => b.writtenMs - a.writtenMs)
    .map(({ dir }) => dir)
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(new URL('/.well-known/receipt-oracle.json', url), {
    redirect: 'manual',
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  }).then(
    () => true,
    () => false,
  )
