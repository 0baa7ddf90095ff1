import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { type Config, ConfigError } from '../config.ts'
import { parseJsonOrNull } from '../jsonText.ts'

/** The markets this instance runs on. A data folder always belongs to one world. */
export type World = {
  slug: string
  recording: { folder: string; capturedAtMs: number } | null
}

const Manifest = z.object({ capturedAt: z.string().refine((text) => Number.isFinite(Date.parse(text))) })

/** @throws ConfigError by key when VENUES names nothing that can be served. */
export async function readWorld(config: Config): Promise<World> {
  const { MODE, VENUES, VENUES_SEED, VENUES_SIZE } = config
  if (VENUES === 'live') return { slug: MODE === 'live' ? 'live' : 'live-venues', recording: null }
  if (VENUES === 'generator') {
    const usual = VENUES_SEED === 1 && VENUES_SIZE === 400
    return { slug: usual ? 'generator' : `generator-${VENUES_SEED}-${VENUES_SIZE}`, recording: null }
  }
  const folder = resolve(VENUES)
  const manifest = await readFile(join(folder, 'manifest.json'), 'utf8').then(
    (text) => Manifest.safeParse(parseJsonOrNull(text)).data ?? null,
    () => null,
  )
  if (manifest === null)
    throw new ConfigError([
      `VENUES: ${folder} is no recording: it needs a manifest.json with capturedAt (or say generator, or live)`,
    ])
  const slug = basename(folder).replace(/[^A-Za-z0-9._-]/g, '_')
  return { slug, recording: { folder, capturedAtMs: Date.parse(manifest.capturedAt) } }
}
