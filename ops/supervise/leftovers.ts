import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { steadyClock } from '../clock.ts'
import { parseJsonOrNull } from '../jsonText.ts'
import { replaceFile } from '../replaceFile.ts'
import { SECOND } from '../units.ts'
import { killGroup } from './child.ts'
import { isSameProcess, processStart } from './identity.ts'

/** The system takes up to this long to end a process that was killed. */
const KILLED_WITHIN_MS = 2 * SECOND

const Started = z.array(z.object({ role: z.string(), pid: z.int(), start: z.string() }))

export type Roster = {
  add(role: string, pid: number): void
  remove(pid: number): void
  flush(): Promise<void>
}

/** Writes down who was started, so that a later start on the same folder can end what two kill -9 left behind. */
export function openRoster(dataDir: string): Roster {
  const file = join(dataDir, 'children.json')
  const running = new Map<number, { role: string; pid: number; start: string }>()
  let writing: Promise<void> = Promise.resolve()
  const save = () => {
    writing = writing.then(() => replaceFile(file, JSON.stringify([...running.values()]))).catch(() => {}) //  disk full: the watchdog still knows them
  }
  return {
    add(role, pid) {
      const start = processStart(pid)
      if (start !== null) running.set(pid, { role, pid, start })
      save()
    },
    remove(pid) {
      running.delete(pid)
      save()
    },
    flush: () => writing,
  }
}

/**
 * Ends the children of an earlier supervisor that still run: two redis-servers on one folder would ruin its
 * file. The caller holds the folder's lock, so nobody else's children are in the list.
 * @returns the roles that had to be ended.
 */
export async function endLeftovers(dataDir: string, graceMs = 8 * SECOND): Promise<string[]> {
  const text = await readFile(join(dataDir, 'children.json'), 'utf8').catch(() => '[]')
  const listed = Started.safeParse(parseJsonOrNull(text)).data ?? []
  const left = listed.filter(stillRuns)
  const goneWithin = async (ms: number) => {
    const endMs = steadyClock.nowMs() + ms
    while (left.some(stillRuns) && steadyClock.nowMs() < endMs) await sleep(50)
  }
  for (const { pid } of left) killGroup(pid, 'SIGTERM')
  await goneWithin(graceMs)
  for (const { pid } of left.filter(stillRuns)) killGroup(pid, 'SIGKILL')
  await goneWithin(KILLED_WITHIN_MS) //  until then it has its ports and files
  return left.map(({ role }) => role)
}

const stillRuns = ({ pid, start }: { pid: number; start: string }): boolean => isSameProcess(pid, start)
