import type { Spawn } from './child.ts'

/** What parts tell each other through us: the ready line of one becomes environment of another. */
export type Said = Record<string, unknown>

/**
 * One process of the tree. The tree knows nothing about what it does: tests run it with small stand-ins.
 */
export type Part = {
  role: string //     unique, names the log file
  label: string //    for people
  needs: string[] //  roles that must have been ready once before it starts, and that stop after it
  uses?: string[] //  roles that it works without, and that stop after it
  graceMs: number //  from SIGTERM to SIGKILL
  /** Once it has been ready it is restarted however often it dies: a full disk may have room again later. */
  isNeverGivenUp?: true
  /**
   * What is missing while it does not run, in words for a person. The rest works without it: nobody waits for it, and
   * it is restarted again and again even if it was never ready.
   */
  withoutIt?: string
  operatorPort?: number // of its /readyz and /metrics, where it has them
  /** Asked at every start, so that it sees what the parts it needs have said. */
  spawn(): Spawn
  /**
   * Is it ready? Asked until it says null.
   * @param said the newest line of JSON with `"ready":true` that this start of it has printed; null: none yet.
   * @returns null when ready, else why not, in words for a person.
   */
  notReady(said: Said | null): Promise<string | null>
  /**
   * Whether only a person can solve this problem: it is waited for without limit, as the person needs the running tree.
   */
  waitsFor?(problem: string): boolean
  /** Called once when it has become ready for the first time. */
  learn?(said: Said | null): void
}
