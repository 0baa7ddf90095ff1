import { DAY, HOUR, MINUTE } from '../../../units.ts'
import { mix } from './dice.ts'

const lattice = (key: number, index: number) =>
  mix(mix(key, index | 0), Math.floor(index / 4_294_967_296) + 17) / 2_147_483_648 - 1

/** Value noise in [-1, 1]: random heights every `periodMs`, straight lines between. */
export function noise(key: number, atMs: number, periodMs: number): number {
  const position = atMs / periodMs
  const index = Math.floor(position)
  const from = lattice(key, index)
  return from + (lattice(key, index + 1) - from) * (position - index)
}

/** Period and share of each layer of a walk. */
const LAYERS = [
  [2 * MINUTE, 0.06],
  [11 * MINUTE, 0.08],
  [67 * MINUTE, 0.14],
  [7 * HOUR, 0.22],
  [31 * HOUR, 0.3],
  [6 * DAY, 0.5],
] as const

/**
 * A mean-reverting walk in about [-1.3, 1.3] around 0, known at any instant without its past: layers of
 * noise from minutes to days stand in for the sum of shocks a simulated walk would have to carry along.
 */
export function walk(key: number, atMs: number): number {
  let sum = 0
  for (let i = 0; i < LAYERS.length; i++) sum += LAYERS[i]![1] * noise(key + i * 7_919, atMs, LAYERS[i]![0])
  return sum
}
