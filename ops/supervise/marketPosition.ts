import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type MarketClockAnchor, marketClock } from '../clock.ts'
import { parseJsonOrNull } from '../jsonText.ts'
import { replaceFile } from '../replaceFile.ts'
import { SECOND } from '../units.ts'

const Saved = z.object({ world: z.string(), marketMs: z.number().nullable() })

/** How often the position is written, and how far ahead of now: a crash then skips a little, and never repeats. */
export const SAVE_EVERY_MS = 2 * SECOND
const AHEAD_MS = 5 * SECOND

export type MarketPosition = {
  anchor: MarketClockAnchor | null //  null: the world runs on the real clock
  /** Called every `SAVE_EVERY_MS` while we run, and with 'exact' at a clean end. */
  save(how: 'ahead' | 'exact'): Promise<void>
}

/**
 * The position of a replay. A new data folder starts at the recording's `capturedAt`, a known one goes on where it
 * stopped; market time stands still while nothing runs, and never goes back.
 * @throws when the data folder belongs to another world, whose markets and payments its stores hold, or does not say to
 *   which.
 */
export async function openMarketPosition(
  dataDir: string,
  world: string,
  { capturedAtMs, speed, nowMs }: { capturedAtMs: number | null; speed: number; nowMs: number },
): Promise<MarketPosition> {
  const file = join(dataDir, 'world.json')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  const saved = text === null ? null : (Saved.safeParse(parseJsonOrNull(text)).data ?? 'damaged')
  if (saved === 'damaged')
    throw new Error(
      `DATA_DIR: ${file} is damaged, as a power cut may leave it. If this folder is of the world "${world}", remove that file${capturedAtMs === null ? '' : ': the recording then begins anew'}`,
    )
  if (saved !== null && saved.world !== world)
    throw new Error(
      `DATA_DIR: ${dataDir} holds the world "${saved.world}", not "${world}": give each its own`,
    )
  const anchor =
    capturedAtMs === null
      ? null
      : { marketMs: Math.max(capturedAtMs, saved?.marketMs ?? 0), realMs: nowMs, speed }
  const write = (marketMs: number | null) =>
    replaceFile(file, JSON.stringify({ world, marketMs } satisfies z.infer<typeof Saved>))
  const clock = anchor && marketClock(anchor)
  const save = (how: 'ahead' | 'exact') =>
    write(clock === null ? null : clock.nowMs() + (how === 'ahead' ? AHEAD_MS * speed : 0))
  if (saved === null) await write(capturedAtMs) //  the folder is this world's from now on
  return { anchor, save }
}
