import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { messageOf } from '../../../errors.ts'

/** A recorded object, untouched. */
export type Recorded = Record<string, unknown>

const instant = z.string().refine((text) => Number.isFinite(Date.parse(text)), 'must be a date')
const Manifest = z.object({
  capturedAt: instant,
  derived: z.boolean().optional(),
  note: z.string().optional(),
  frames: z.array(z.object({ at: instant, a: z.array(z.string()), b: z.array(z.string()) })).min(1),
})

export type Frame = { atMs: number; a: readonly string[]; b: readonly string[] }
export type Recording = { folder: string; capturedMs: number; frames: readonly Frame[] }

/** A folder that cannot be replayed, with everything that is wrong with it. */
export class RecordingError extends Error {
  constructor(folder: string, problems: readonly string[]) {
    super(`recording ${folder}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'RecordingError'
  }
}

/** Reads the manifest and checks every file it names, one after the other; keeps none of them. */
export function openRecording(folder: string): Recording {
  const path = join(folder, 'manifest.json')
  if (!existsSync(path)) throw new RecordingError(folder, ['manifest.json: is missing'])
  let given: unknown
  try {
    given = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new RecordingError(folder, ['manifest.json: is no JSON'])
  }
  const parsed = Manifest.safeParse(given)
  if (!parsed.success)
    throw new RecordingError(
      folder,
      parsed.error.issues.map((issue) => `manifest.json: ${issue.path.join('.')}: ${issue.message}`),
    )
  const frames = parsed.data.frames.map(({ at, a, b }) => ({ atMs: Date.parse(at), a, b }))
  const problems = frames.flatMap((frame, i) =>
    i > 0 && frame.atMs <= frames[i - 1]!.atMs ? [`manifest.json: frames.${i}.at: must rise`] : [],
  )
  for (const file of new Set(frames.flatMap(({ a, b }) => [...a, ...b]))) {
    try {
      readObjects(folder, file)
    } catch (error) {
      problems.push(`${file}: ${messageOf(error)}`)
    }
  }
  if (problems.length > 0) throw new RecordingError(folder, problems)
  return { folder, capturedMs: Date.parse(parsed.data.capturedAt), frames }
}

/** One file of a frame: a JSON array of objects, gzipped. */
export function readObjects(folder: string, file: string): Recorded[] {
  if (isAbsolute(file) || normalize(file).startsWith('..')) throw new Error('must lie inside the folder')
  const path = join(folder, file)
  if (!existsSync(path)) throw new Error('is missing')
  const bytes = readFileSync(path)
  let text: string
  try {
    text = gunzipSync(bytes).toString()
  } catch {
    throw new Error('is no gzip, or cut short')
  }
  let objects: unknown
  try {
    objects = JSON.parse(text)
  } catch {
    throw new Error('is no JSON')
  }
  if (!Array.isArray(objects) || objects.some((one) => typeof one !== 'object' || one === null))
    throw new Error('must be an array of events')
  return objects
}

/** The frame that is valid at an instant: the first one before the recording, the last one after it. */
export function frameAt(recording: Recording, nowMs: number): number {
  const next = recording.frames.findIndex(({ atMs }) => atMs > nowMs)
  return next === -1 ? recording.frames.length - 1 : Math.max(0, next - 1)
}
