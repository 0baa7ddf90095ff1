import { z } from 'zod'
import type { Said } from './readers.ts'
import { ToolReport } from './toolReport.ts'

/** One thing a surface says that is wrong. `charged`: what the 402 says; null: not sold, or not listed. */
export const Disagreement = z.object({
  surface: z.string(),
  path: z.string(),
  field: z.string(),
  says: z.string().nullable(),
  charged: z.string().nullable(),
})
export type Disagreement = z.infer<typeof Disagreement>

/** Part `surfaces` of `/surface-audit.json`: what the service finds when it reads its own surfaces at start. */
export const SurfaceAudit = z.object({
  checkedAt: z.iso.datetime(),
  goods: z.int(), //  sold by GET; the 402 of each says what is charged
  checked: z.array(z.object({ path: z.string(), goods: z.int(), compared: z.array(z.string()) })),
  agree: z.boolean(),
  disagreements: z.array(Disagreement),
  tools: ToolReport.extend({
    sameGoods: z.boolean().describe('What the tools were shown is what is sold now'),
  }).describe('What tools of others said of this version when its tests ran them'),
})
export type SurfaceAudit = z.infer<typeof SurfaceAudit>

/**
 * Compares what a surface says with what is charged: it lists every good once and nothing else, and each field it has
 * is right. Pure.
 */
export function disagreements(
  surface: string,
  said: readonly Said[],
  charged: readonly Said[],
): Disagreement[] {
  const truth = new Map(charged.map((good) => [good.path, good]))
  const found: Disagreement[] = []
  const differ = (path: string, field: string, says: unknown, is: unknown) => {
    const [left, right] = [textOf(says), textOf(is)]
    if (left !== right) found.push({ surface, path, field, says: left, charged: right })
  }
  for (const good of said) {
    const is = truth.get(good.path)
    if (is === undefined) differ(good.path, 'path', good.path, null)
    else for (const field of fieldsOf([good])) differ(good.path, field, good[field], is[field])
  }
  const times = Map.groupBy(said, ({ path }) => path)
  for (const { path } of charged) differ(path, 'listed', times.get(path)?.length ?? 0, 1)
  return found
}

/** The fields a surface has besides paths. */
export const fieldsOf = (said: readonly Said[]): (keyof Said)[] =>
  [...new Set(said.flatMap((good) => Object.keys(good) as (keyof Said)[]))].filter(
    (field) => field !== 'path',
  )

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)
