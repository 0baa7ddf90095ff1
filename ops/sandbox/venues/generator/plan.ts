import { type Cadence, openMs } from './cadence.ts'
import { type Dice, dice, mix } from './dice.ts'
import { FAMILIES, FILLER } from './families/index.ts'
import type { Family, Topic, Twist } from './topic.ts'

/** Who lists a slot's topic: both the same, both with opposite sides, both but not the same question, or one alone. */
export type Mode = 'same' | 'inverted' | 'twisted' | 'a' | 'b'

/**
 * A place in the world that hosts one event after another: subject and mode stay, time moves on.
 * Its number is its rank in both venues' listings.
 */
export type Slot = {
  index: number
  family: Family
  subject: number
  mode: Mode
  twist: Twist | null
  dice: Dice
  cadence: Cadence
}

/** Slots have 17 bits in identifiers; 200,000 markets a side need about 80,000. */
const MAX_SLOTS = 131_072

/** Shares of the modes; the rest is listed by one venue alone, the one that lags behind. */
const SAME = 0.45
const INVERTED = 0.1
const TWISTED = 0.2

/** A venue with less room than this takes no more topics while the other has plenty. */
const NEARLY_FULL = 40
const PLENTY = 200
/** Subjects of the filler that only the last step may use: enough for what the rules above leave open. */
const FILLER_RESERVE = NEARLY_FULL + PLENTY

/**
 * Lays out a world of exactly `size` markets on each venue. Families are drawn by weight until their
 * subjects are used up; what does not fit at the end gives way to single markets.
 */
export function planSlots(seed: number, size: number): Slot[] {
  const slots: Slot[] = []
  const used = new Map<Family, number>(FAMILIES.map((family) => [family, 0]))
  const room = { a: size, b: size }
  const left = (family: Family) =>
    family.capacity - used.get(family)! - (family === FILLER ? FILLER_RESERVE : 0)

  const place = (family: Family, wanted: Mode | null): boolean => {
    const index = slots.length
    const slotDice = dice(mix(mix(seed, index), 0xa11ce))
    const turn = used.get(family)!
    const subject = spread(seed, turn, family.capacity)
    const mode = wanted ?? drawMode(slotDice, family, room)
    const slot: Slot = {
      index,
      family,
      subject,
      mode,
      twist: mode === 'twisted' ? slotDice.pick('twist', family.twists) : null,
      dice: slotDice,
      cadence: family.cadence(subject, slotDice),
    }
    const topic = topicOf(slot, 0)
    const a = mode === 'b' ? 0 : topic.a.markets.length
    const b = mode === 'a' ? 0 : topic.b.markets.length
    if (a > room.a || b > room.b) return false
    used.set(family, turn + 1)
    room.a -= a
    room.b -= b
    slots.push(slot)
    return true
  }

  let misses = 0
  for (let step = 0; misses < 24 && (room.a > 0 || room.b > 0); step++) {
    const open = FAMILIES.filter((family) => left(family) > 0)
    const weights = open.reduce((sum, family) => sum + family.weight, 0)
    misses = place(pickFamily(open, dice(mix(seed, step ^ 0x5107)).unit('family') * weights), null)
      ? 0
      : misses + 1
  }
  while (room.a > 0 || room.b > 0) {
    const placed = place(FILLER, room.a === 0 ? 'b' : room.b === 0 ? 'a' : null)
    if (!placed) throw new Error('assumption broken: a single market always fits while there is room')
  }
  if (slots.length > MAX_SLOTS) throw new Error(`assumption broken: ${slots.length} slots, ${MAX_SLOTS} fit`)
  return slots
}

/** @param at a point on a line on which the families lie end to end, each as long as its weight. */
function pickFamily(families: readonly Family[], at: number): Family {
  let end = 0
  for (const family of families) {
    end += family.weight
    if (at < end) return family
  }
  return families[0]!
}

/** The subject of a turn: turns run through a family's subjects once each, in an order of the seed's own. */
function spread(seed: number, turn: number, capacity: number): number {
  const gcd = (x: number, y: number): number => (y === 0 ? x : gcd(y, x % y))
  let stride = 1 + (mix(seed, capacity) % capacity)
  while (gcd(stride, capacity) !== 1) stride = (stride % capacity) + 1
  return (turn * stride + (mix(seed, capacity + 1) % capacity)) % capacity
}

function drawMode(slotDice: Dice, family: Family, room: { a: number; b: number }): Mode {
  const u = slotDice.unit('mode')
  if (room.a === 0 || (room.a < NEARLY_FULL && room.b > PLENTY)) return 'b'
  if (room.b === 0 || (room.b < NEARLY_FULL && room.a > PLENTY)) return 'a'
  if (u < SAME) return 'same'
  if (u < SAME + INVERTED) return family.flips ? 'inverted' : 'same'
  if (u < SAME + INVERTED + TWISTED) return 'twisted'
  return room.a >= room.b ? 'a' : 'b'
}

export const instanceDice = (slot: Slot, generation: number): Dice => slot.dice.of(generation)

/** The texts and propositions of one generation. Pure; about ten microseconds. */
export function topicOf(slot: Slot, generation: number): Topic {
  return slot.family.topic({
    subject: slot.subject,
    dice: instanceDice(slot, generation),
    slotDice: slot.dice,
    decideMs: openMs(slot.cadence, generation + 1) - slot.cadence.settleMs,
    twist: slot.twist,
    flip: slot.mode === 'inverted',
  })
}
