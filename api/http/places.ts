/**
 * Places that are shared out among callers. While some are free everybody takes what he asks for, up to `each`; when none is, who comes
 * with fewer than another takes the oldest of who has most. So whoever fills them all keeps nobody out, and few that are many are
 * left with what the others leave.
 * @param onTaken its place is somebody else's now.
 */
export function createPlaces<Taker>({
  max,
  each = max,
  onTaken,
}: {
  max: number
  each?: number
  onTaken(taker: Taker): void
}) {
  const ofCaller = new Map<string, Set<Taker>>()
  let taken = 0

  const has = (caller: string): number => ofCaller.get(caller)?.size ?? 0
  const leave = (caller: string, taker: Taker): boolean => {
    const his = ofCaller.get(caller)
    if (his?.delete(taker) !== true) return false
    if (his.size === 0) ofCaller.delete(caller)
    taken--
    return true
  }
  /** Who has most; null where that is no more than the newcomer would have. Looked for only when all are taken. */
  const largest = (newcomer: string): string | null => {
    let found: string | null = null
    let most = has(newcomer) + 1
    for (const [caller, { size }] of ofCaller) if (size > most) [found, most] = [caller, size]
    return found
  }
  return {
    hasRoom: (caller: string): boolean => has(caller) < each && (taken < max || largest(caller) !== null),

    /** Only who has room. */
    take(caller: string, taker: Taker): void {
      const other = taken < max ? null : largest(caller)
      if (other !== null) {
        const [oldest] = ofCaller.get(other)!
        leave(other, oldest!)
        onTaken(oldest!)
      }
      const his = ofCaller.get(caller) ?? new Set()
      ofCaller.set(caller, his.add(taker))
      taken++
    },

    /** @returns false: it was gone already. */
    leave,
  }
}
