/**
 * Hash-based randomness: every draw is a pure function of a key and a salt, so two processes, a restart
 * and a jump in time agree. Not a stream: drawing one thing never changes another.
 */
export type Dice = {
  readonly key: number
  /** Uniform in [0, 1). */
  unit(salt: string): number
  /** Uniform integer in [0, n). */
  int(salt: string, n: number): number
  pick<T>(salt: string, list: readonly T[]): T
  /** Dice of a part of this thing. */
  of(part: number): Dice
}

/** One round of integer mixing: (state, word) to a well spread unsigned 32-bit number. */
export function mix(state: number, word: number): number {
  let h = Math.imul(state ^ word, 0x9e3779b1)
  h ^= h >>> 15
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

export function mixText(state: number, text: string): number {
  let h = state
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return mix(state, h)
}

export function dice(key: number): Dice {
  return {
    key,
    unit: (salt) => mixText(key, salt) / 4_294_967_296,
    int: (salt, n) => Math.floor((mixText(key, salt) / 4_294_967_296) * n),
    pick: (salt, list) => list[Math.floor((mixText(key, salt) / 4_294_967_296) * list.length)]!,
    of: (part) => dice(mix(key, part + 0x51ed27)),
  }
}

/** `count` digits or hex digits that depend on the key alone. */
export function digits(key: number, count: number, base: 10 | 16): string {
  let text = ''
  for (let word = 0; text.length < count; word++) {
    const h = mix(key, word + 1)
    text += base === 16 ? h.toString(16).padStart(8, '0') : String(h % 1_000_000).padStart(6, '0')
  }
  return text.slice(0, count)
}
