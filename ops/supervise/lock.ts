import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { parseJsonOrNull } from '../jsonText.ts'
import { replaceFile } from '../replaceFile.ts'
import { isSameProcess, processStart } from './identity.ts'

const Owner = z.object({
  pid: z.int().positive(),
  start: z.string(), //   tells the process from a later one with the same id
  url: z.string(), //     where its api is
  since: z.string(),
})
export type Owner = z.infer<typeof Owner>

export class AlreadyRunningError extends Error {
  readonly owner: Owner
  constructor(dataDir: string, owner: Owner) {
    super(
      `${dataDir} is in use by another instance (process ${owner.pid}, since ${owner.since}): ${owner.url}\n` +
        'Stop that one, or give this one a DATA_DIR (and PORT) of its own.',
    )
    this.name = 'AlreadyRunningError'
    this.owner = owner
  }
}

export type Lock = {
  /** Corrects the address that a second instance is shown: it may not be known when the lock is taken. */
  setUrl(url: string): Promise<void>
  release(): Promise<void>
}

/**
 * Makes the data folder ours. Every process first announces itself (in a file of its own, complete when it appears) and
 * then looks at the others: of two that come at once at least one sees the other and steps back, so there are never two
 * owners. Files of dead processes are removed by any process that finds them, so nothing has to be taken over.
 * @throws AlreadyRunningError with the living owner.
 */
export async function lockDataDir(dataDir: string, url: string, attempts = 3): Promise<Lock> {
  const folder = join(dataDir, 'owners')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${process.pid}.json`)
  const owner: Owner = {
    pid: process.pid,
    start: processStart(process.pid) ?? '',
    url,
    since: new Date().toISOString(),
  }
  const show = (shown: Owner) => replaceFile(file, JSON.stringify(shown), join(folder, `.${randomUUID()}`))
  await show(owner)
  const release = () => rm(file, { force: true }).catch(() => {}) //  a dead owner keeps nobody out
  const other = await livingOther(folder, owner)
  if (other === null) return { release, setUrl: (correct) => show({ ...owner, url: correct }) }
  await release()
  if (attempts <= 1) throw new AlreadyRunningError(dataDir, other)
  //  both may have stepped back: try again after a time that is not the same for both
  await sleep(50 + Math.random() * 150)
  return lockDataDir(dataDir, url, attempts - 1)
}

async function livingOther(folder: string, self: Owner): Promise<Owner | null> {
  for (const name of await readdir(folder)) {
    if (!/^\d+\.json$/.test(name) || name === `${self.pid}.json`) continue
    const file = join(folder, name)
    const owner = await readFile(file, 'utf8').then(
      (text) => Owner.safeParse(parseJsonOrNull(text)).data ?? null,
      () => null,
    )
    if (owner !== null && isSameProcess(owner.pid, owner.start)) return owner
    await rm(file, { force: true })
  }
  return null
}
