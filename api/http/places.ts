/**
 * Places that are shared out among callers. While some are free every caller gets what it asks for, up to `each`; when
 * none is, a newcomer with fewer places than another takes the oldest place of the caller with most. So a caller that
 * fills all places keeps nobody out; where many callers hold few places each, a newcomer gets only what they leave.
 * @param onTaken its place was given to somebody else.
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
  /** The caller with most places; null if the newcomer would have as many. Looked for only when all are taken. */
  const largest = (newcomer: string): string | null => {
    let found: string | null = null
    let most = has(newcomer) + 1
    for (const [caller, { size }] of ofCaller) if (size > most) [found, most] = [caller, size]
    return found
  }
  return {
    hasRoom: (caller: string): boolean => has(caller) < each && (taken < max || largest(caller) !== null),

    /** Only for a caller that has room. */
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
