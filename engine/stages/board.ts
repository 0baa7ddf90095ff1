import type { Changes, World } from './world.ts'

/** What every board says beside its body. */
export type AsOf = { a: number | null; b: number | null }

/**
 * One published board. A board keeps what it likes between two publications; it is told what moved and asked for
 * its body when something is to be published. Adding a snapshot is adding one of these to the list in main.ts.
 */
export type Board = {
  name: string
  /** A new world: forget everything computed. */
  warm(world: World): void
  /** @returns whether the body may have changed. */
  note(changes: Changes): boolean
  /** Body as JSON text. `fresh` tells per venue whether its data may be acted on at `nowMs`, market clock. */
  body(world: World, at: { nowMs: number; asOfMs: AsOf; fresh: { a: boolean; b: boolean } }): string
}
