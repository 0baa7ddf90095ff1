import { mix } from './dice.ts'
import { walk } from './noise.ts'
import type { Shape } from './topic.ts'

const logistic = (x: number) => 1 / (1 + Math.exp(-x))
const unit = (key: number) => mix(key, 0x7a11) / 4_294_967_296

/** How far a topic's log-odds wander, and how far apart its outcomes lie. */
const WANDER = 0.9
const LADDER_STEP = 0.9

/**
 * Probabilities of all propositions of a topic at an instant: the truth that both venues quote, each with its own
 * noise. Indices 0…count-1; a twisted venue B reads `shifted`, a related world.
 */
export function probabilities(
  shape: Shape,
  count: number,
  topicKey: number,
  atMs: number,
  shifted: boolean,
): Float64Array {
  const world = shifted ? mix(topicKey, 0xb0b) : topicKey
  // a look-alike starts from the same odds and walks its own way
  const shift = shifted ? 0.25 : 0
  const out = new Float64Array(count)
  if (shape === 'falling' || shape === 'rising') {
    const center = (unit(topicKey) - 0.5) * 2 + shift + WANDER * walk(world, atMs)
    for (let i = 0; i < count; i++) {
      const rung = ((count - 1) / 2 - i) * LADDER_STEP
      out[i] = logistic(center + (shape === 'falling' ? rung : -rung))
    }
    return out
  }
  let sum = 0
  for (let i = 0; i < count; i++) {
    const key = mix(world, i + 1)
    const bias = (unit(mix(topicKey, i + 101)) - 0.5) * (shape === 'softmax' ? 5 : 3.2) + shift
    const score = bias + WANDER * walk(key, atMs)
    out[i] = shape === 'softmax' ? Math.exp(score) : logistic(score)
    sum += out[i]!
  }
  if (shape === 'softmax') for (let i = 0; i < count; i++) out[i]! /= sum
  return out
}
