/** Seeded chance: the same seed, the same storm plan (what the processes make of it still differs). */
export type Dice = {
  /** In [0, 1). */
  chance(): number
  whole(below: number): number
  pick<T>(from: readonly T[]): T
}

/** mulberry32. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  const chance = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (below: number) => Math.floor(chance() * below)
  return { chance, whole, pick: (from) => from[whole(from.length)]! }
}
