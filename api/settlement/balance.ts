import { MINUTE, SECOND } from '../../ops/units.ts'

/** Before something is paid from it. */
const READ_AGAIN_MS = 2 * SECOND
/** While nothing is paid from it: for the alarm, which must see that somebody has filled it up, or taken it. */
const LOOK_AGAIN_MS = 1 * MINUTE

export type Balance = ReturnType<typeof createBalance>

/** What the settler's account holds, by its last reading. */
export function createBalance({ read, nowMs }: { read(): Promise<bigint>; nowMs(): number }) {
  let held = { wei: 0n, readMs: Number.NEGATIVE_INFINITY }
  let lookedMs = Number.NEGATIVE_INFINITY
  const readNow = async () => {
    held = { wei: await read(), readMs: nowMs() }
  }
  return {
    wei: (): bigint => held.wei,
    /** Whether it pays for this much. */
    async covers(wei: bigint): Promise<boolean> {
      if (nowMs() - held.readMs > READ_AGAIN_MS || held.wei < wei) await readNow()
      return held.wei >= wei
    },
    /** Reads it if it was neither read nor asked for within a minute. A node that does not say changes nothing. */
    async look(): Promise<void> {
      if (nowMs() - Math.max(held.readMs, lookedMs) < LOOK_AGAIN_MS) return
      lookedMs = nowMs()
      await readNow().catch(() => {})
    },
  }
}
