import { decideMs, endMs, generationAt, openMs } from './cadence.ts'
import { mix } from './dice.ts'
import { eventId, marketId } from './ids.ts'
import { instanceDice, type Slot, topicOf } from './plan.ts'
import type { Shape } from './topic.ts'

/** One market without its words: who it is, what it prices, when it is decided. */
export type Bone = {
  id: string //   a: market id; b: ticker
  event: number // b: index into the tickers of the instance
  key: number //  of all its randomness
  prop: number
  flip: boolean
  decideMs: number
  named: boolean // not a placeholder and not "Other"
}

/** One generation of a slot: its times and markets. Words are made from it when they are asked for. */
export type Instance = {
  slot: Slot
  generation: number
  key: number //      of all its randomness
  openMs: number //   listed from here
  decideMs: number // trading ends, the outcome is known
  endMs: number //    gone from the open listings
  shape: Shape
  count: number
  idA: string //      event id on venue A
  tickers: readonly string[] // event tickers on venue B
  a: readonly Bone[]
  b: readonly Bone[]
}

function instanceOf(slot: Slot, generation: number): Instance {
  const topic = topicOf(slot, generation)
  const key = mix(instanceDice(slot, generation).key, 0x1d)
  const decided = decideMs(slot.cadence, generation)
  const tickers = topic.b.events.map(({ series, suffix }) => `${series}-${suffix}`)
  return {
    slot,
    generation,
    key,
    openMs: openMs(slot.cadence, generation),
    decideMs: decided,
    endMs: endMs(slot.cadence, generation),
    shape: topic.shape,
    count: topic.count,
    idA: eventId(slot.index, generation),
    tickers,
    a: topic.a.markets.map((market, index) => ({
      id: marketId({ slot: slot.index, generation, index }),
      event: 0,
      key: mix(key, 0xa00 + index),
      prop: market.prop,
      flip: market.flip === true,
      decideMs: market.decideMs ?? decided,
      named: market.kind === undefined,
    })),
    b: topic.b.markets.map((market, index) => ({
      id: `${tickers[market.event]!}-${market.code}`,
      event: market.event,
      key: mix(key, 0xb00 + index),
      prop: market.prop,
      flip: market.flip === true,
      decideMs: market.decideMs ?? decided,
      named: true,
    })),
  }
}

export type Instances = {
  /** What a slot lists at an instant. */
  current(slot: Slot, nowMs: number): Instance
  /** The one before it: closed, settled. */
  past(slot: Slot, nowMs: number): Instance
  at(slot: Slot, generation: number): Instance
}

/** Keeps the newest generation asked for of each slot: bounded by the number of slots. */
export function instanceCache(): Instances {
  const kept: (Instance | undefined)[] = []
  const at = (slot: Slot, generation: number) => {
    const have = kept[slot.index]
    if (have?.generation === generation) return have
    const made = instanceOf(slot, generation)
    if (have === undefined || generation > have.generation) kept[slot.index] = made
    return made
  }
  const generation = (slot: Slot, nowMs: number) => {
    const have = kept[slot.index]
    if (have !== undefined && nowMs >= have.openMs && nowMs < have.endMs) return have.generation
    return generationAt(slot.cadence, nowMs)
  }
  return {
    current: (slot, nowMs) => at(slot, generation(slot, nowMs)),
    past: (slot, nowMs) => instanceOf(slot, generation(slot, nowMs) - 1),
    at,
  }
}

/** Whether the slot's topic is listed on this venue. */
export const listedOn = (venue: 'a' | 'b', slot: Slot): boolean => slot.mode !== (venue === 'a' ? 'b' : 'a')

/** Life of one market of an instance. Pending: decided, not yet settled. */
export type Phase = 'open' | 'paused' | 'pending' | 'closed'

/** Paused share of market hours, per thousand: trading is halted and quotes stay. */
const PAUSED_PER_MILLE = 2

export function phaseOf(instance: Instance, bone: Bone, nowMs: number): Phase {
  if (nowMs >= instance.endMs) return 'closed'
  if (nowMs >= bone.decideMs) {
    const settle = instance.endMs - instance.decideMs
    return nowMs >= bone.decideMs + settle ? 'closed' : 'pending'
  }
  const hour = Math.floor(nowMs / 3_600_000)
  return mix(bone.key, hour) % 1_000 < PAUSED_PER_MILLE ? 'paused' : 'open'
}
