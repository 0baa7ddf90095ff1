import { type Instance, type Instances, listedOn } from './instance.ts'
import type { Slot } from './plan.ts'

export type Tickers = {
  /** The slot and generation of an event ticker that is current, or was until the last change. */
  find(eventTicker: string, nowMs: number): { slot: Slot; generation: number } | null
}

/**
 * Event tickers of the current and the previous generation of every slot. Entries are renewed when a
 * slot moves on; bounded by two generations of at most three events a slot.
 */
export function tickerIndex(slots: readonly Slot[], instances: Instances): Tickers {
  const places = new Map<string, { slot: Slot; generation: number }>()
  const indexed: (readonly [Instance, Instance] | undefined)[] = [] // by slot: current, previous
  let fromMs = 0
  let untilMs = -1 // nothing moves on before

  const move = (slot: Slot, instance: Instance) => {
    for (const old of indexed[slot.index] ?? [])
      for (const ticker of old.tickers) if (places.get(ticker)?.slot === slot) places.delete(ticker)
    const previous = instances.at(slot, instance.generation - 1)
    for (const { generation, tickers } of [previous, instance])
      for (const ticker of tickers) places.set(ticker, { slot, generation })
    indexed[slot.index] = [instance, previous]
  }

  const refresh = (nowMs: number) => {
    fromMs = nowMs
    untilMs = Number.POSITIVE_INFINITY
    for (const slot of slots) {
      if (!listedOn('b', slot)) continue
      const instance = instances.current(slot, nowMs)
      untilMs = Math.min(untilMs, instance.endMs)
      if (indexed[slot.index]?.[0].generation !== instance.generation) move(slot, instance)
    }
  }

  return {
    find(eventTicker, nowMs) {
      if (nowMs < fromMs || nowMs >= untilMs) refresh(nowMs)
      return places.get(eventTicker) ?? null
    },
  }
}
