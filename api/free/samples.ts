import type { Redis } from 'ioredis'
import { z } from 'zod'
import type { Clock } from '../../ops/clock.ts'
import { JsonText } from '../../ops/jsonText.ts'
import { MINUTE } from '../../ops/units.ts'
import { isProblem, type Problem } from '../errors.ts'

/** A look at a board that is given away, the same in every process. Instants are market clock, Unix ms. */
export type Sample<Row> = { takenMs: number; asOf: { a: string; b: string }; rows: Row[] }

/** Ticks whose samples are held: the current one and earlier ones that may still be shown. */
const TICKS = 3

/** The tick that runs at `nowMs`: every process finds the same one by the clock alone. */
export const tickAt = (nowMs: number, everyMs: number): number => Math.floor(nowMs / everyMs) * everyMs

/** When a sample that was not taken yet is counted on: the same instant for all who ask within a minute. */
export const takenByMs = (nowMs: number): number => tickAt(nowMs, MINUTE) + MINUTE

export const sampleKey = (name: string, tickMs: number): string => `api:free:${name}:${tickMs}`

/**
 * Keeps one sample per tick. The first process to take it writes it (SET NX) and all read it back, so all processes
 * show the same. A tick in which no process could take a sample (data too old) has none until one can.
 *
 * Bound: TICKS samples in memory; in Redis each lives for TICKS + 1 ticks of real time, and each call of `refresh`
 * writes at most one, however fast the market clock runs. When it runs slower than real time, older samples expire
 * early.
 * @param draw returns the sample as of now, or null when the data may not be shown.
 */
export function keepSamples<Row>({
  redis,
  clock,
  name,
  everyMs,
  row,
  draw,
}: {
  redis: Redis
  clock: Clock
  name: string
  everyMs: number
  row: z.ZodType<Row>
  draw(): Drawn<Row> | null
}) {
  const sampleOf = z.object({
    takenMs: z.int(),
    asOf: z.object({ a: z.string(), b: z.string() }),
    rows: z.array(row),
  })
  const schema = JsonText.pipe(sampleOf)
  const held = new Map<number, Sample<Row>>()

  const read = async (tickMs: number) => {
    const text = await redis.get(sampleKey(name, tickMs))
    const sample = schema.safeParse(text)
    if (sample.success) held.set(tickMs, sample.data) //  one written by another version of this service does not count
  }

  return {
    async refresh() {
      const nowMs = clock.nowMs()
      const newest = tickAt(nowMs, everyMs)
      const wanted = Array.from({ length: TICKS }, (_, back) => newest - back * everyMs)
      for (const tickMs of held.keys()) if (!wanted.includes(tickMs)) held.delete(tickMs)
      if (!held.has(newest)) {
        const drawn = draw()
        if (drawn !== null) {
          const text = JSON.stringify({ takenMs: nowMs, ...drawn })
          await redis.set(sampleKey(name, newest), text, 'PX', (TICKS + 1) * everyMs, 'NX')
        }
      }
      for (const tickMs of wanted) if (!held.has(tickMs)) await read(tickMs)
    },
    /** Newest first; never one from the future, which a clock that went back would leave. */
    samples: (): Sample<Row>[] => {
      const nowMs = clock.nowMs()
      return [...held.values()]
        .filter(({ takenMs }) => takenMs <= nowMs)
        .sort((x, y) => y.takenMs - x.takenMs)
    },
  }
}

type Drawn<Row> = Omit<Sample<Row>, 'takenMs'>

/** A sample of a board as of now; null while its data is old or it is empty. */
export function drawn<Body, Row>(
  fresh: { board: { snapshot: { body: Body } }; provenance: Pick<Drawn<Row>, 'asOf'> } | Problem,
  rowsOf: (body: Body) => Row[],
): Drawn<Row> | null {
  if (isProblem(fresh)) return null
  const rows = rowsOf(fresh.board.snapshot.body)
  return rows.length === 0 ? null : { asOf: fresh.provenance.asOf, rows }
}
