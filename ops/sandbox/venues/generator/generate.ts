import type { World } from '../world.ts'
import type { Pace } from './figures.ts'
import { instanceCache } from './instance.ts'
import { planSlots } from './plan.ts'
import { truthNow } from './truth.ts'
import { generatedA } from './worldA.ts'
import { generatedB } from './worldB.ts'

/** One window of five seconds sees five of a hundred events move. */
export const DEFAULT_PACE: Pace = { stepMs: 5_000, changeShare: 0.05 }

/** The clock of a generated world may not run before this: generations are counted from 2016. */
export const EARLIEST_MS = Date.UTC(2019, 0, 1)

/**
 * A seeded world of `size` markets on each venue, half of them the same questions. Its state at an instant
 * is a function of (seed, size, pace, instant): processes, restarts and repeated runs agree byte for byte.
 */
export function generateWorld({
  seed,
  size,
  pace = DEFAULT_PACE,
}: {
  seed: number
  size: number
  pace?: Pace
}): World {
  const slots = planSlots(seed, size)
  const instances = instanceCache()
  return {
    name: `generator seed ${seed}, ${size} markets a venue`,
    recorded: false,
    a: generatedA(slots, instances, pace),
    b: generatedB(slots, instances, pace, seed, size),
    truth: (nowMs) => truthNow(slots, instances, nowMs),
  }
}
