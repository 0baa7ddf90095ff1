import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { describeError } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** Unreadable folders of tables that are kept for a person to look at: the newest ones, so many. */
const KEPT = 2

/**
 * Opens a folder of tables, or, when it is damaged (a power cut in the middle of a write), an empty one in its place:
 * what the streams still hold is written again by those who drain them. The damaged folder is kept beside it as
 * `<folder>.broken-<Unix ms>`.
 * @throws what opening throws when an empty folder cannot be opened either: then the tables are not the cause, and
 *   everything is left as it was.
 */
export async function openOrSetAside<Opened>(
  directory: string,
  nowMs: number,
  open: (directory: string) => Promise<Opened>,
  log: Log,
): Promise<Opened> {
  const folder = resolve(directory)
  try {
    return await open(folder)
  } catch (error) {
    const aside = `${folder}.broken-${nowMs}`
    await rename(folder, aside)
    let opened: Opened
    try {
      await mkdir(folder, { mode: 0o700 })
      opened = await open(folder)
    } catch {
      await rm(folder, { recursive: true, force: true })
      await rename(aside, folder)
      throw error
    }
    log.error({ aside }, 'the tables could not be read: set aside, begun with none')
    await forgetOlder(folder).catch((problem) =>
      log.warn({ reason: describeError(problem) }, 'tables that were set aside before could not be removed'),
    )
    return opened
  }
}

async function forgetOlder(folder: string): Promise<void> {
  const parent = dirname(folder)
  const prefix = `${basename(folder)}.broken-`
  const broken = (await readdir(parent)).filter(
    (name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)),
  )
  const newestFirst = broken.sort(
    (one, other) => Number(other.slice(prefix.length)) - Number(one.slice(prefix.length)),
  )
  for (const name of newestFirst.slice(KEPT)) await rm(join(parent, name), { recursive: true, force: true })
}
