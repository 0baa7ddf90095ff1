import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { parseJsonOrNull } from './jsonText.ts'

/** Where the data folders are whose place nobody names, one for each world. */
export const WORLDS = fileURLToPath(new URL('../.data', import.meta.url))

/** What the supervisor leaves in the data folder of a sandbox. */
export const SANDBOX_FILE = 'sandbox.json'

const PROBE_TIMEOUT_MS = 2_000
const Here = z.looseObject({ url: z.url({ protocol: /^https?$/ }) })

/** What a sandbox's file says, as far as the caller needs it. null: there is none, or it cannot be read as one. */
export const readSandboxFile = <Shape>(folder: string, shape: z.ZodType<Shape>): Promise<Shape | null> =>
  readFile(join(folder, SANDBOX_FILE), 'utf8').then(
    (text) => shape.safeParse(parseJsonOrNull(text)).data ?? null,
    () => null,
  )

/** The data folder that is named, else the configured one, else that of the sandbox that runs here; null: none does. */
export const sandboxFolder = async (named: string, configured: string): Promise<string | null> =>
  named || configured || (await runningSandbox())

/** The data folder below `worldsDir` whose sandbox was started last and answers; null: none does. */
export async function runningSandbox(worldsDir = WORLDS): Promise<string | null> {
  for (const dir of await newestFirst(worldsDir)) {
    const file = await readSandboxFile(dir, Here)
    if (file !== null && (await answers(file.url))) return dir
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

const answers = (url: string): Promise<boolean> =>
  fetch(new URL('/.well-known/receipt-oracle.json', url), {
    redirect: 'manual',
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  }).then(
    () => true,
    () => false,
  )
