import { HOUR } from '../../../units.ts'
import type { TruthRow } from '../world.ts'
import { closesOf } from './closes.ts'
import { type Instance, type Instances, phaseOf } from './instance.ts'
import type { Slot } from './plan.ts'

/**
 * Every pair of open markets that is the same question or its opposite, and the hard look-alikes that
 * are neither: neighbours inside a topic and the markets of twisted topics. The list is closed: a pair
 * that is not in it is not the same question.
 */
export function truthNow(slots: readonly Slot[], instances: Instances, nowMs: number): TruthRow[] {
  const rows: TruthRow[] = []
  for (const slot of slots)
    if (slot.mode !== 'a' && slot.mode !== 'b') rows.push(...truthOf(instances.current(slot, nowMs), nowMs))
  return rows
}

function truthOf(instance: Instance, nowMs: number): TruthRow[] {
  const { slot, count } = instance
  const rows: TruthRow[] = []
  const tradable = (bones: Instance['a']) =>
    bones.filter((bone) => bone.named && phaseOf(instance, bone, nowMs) === 'open')
  const right = tradable(instance.b)
  for (const a of tradable(instance.a)) {
    const closeA = closesOf(slot, a.decideMs).a
    for (const b of right) {
      const same = b.prop === a.prop
      const twin = b.prop === a.prop + count
      // one neighbour is enough: all n × n pairs of outcomes would drown the rest
      if (!same && !twin && b.prop !== a.prop + 1) continue
      const opposite = a.flip !== b.flip
      rows.push({
        aMarketId: a.id,
        bTicker: b.id,
        label: same ? (opposite ? 'inverted' : 'same') : 'not',
        reason: same ? (opposite ? 'opposite_side' : 'equivalent') : twin ? slot.twist! : 'different_outcome',
        family: slot.family.name,
        closesWithin48h:
          closeA === null ? null : Math.abs(closeA - closesOf(slot, b.decideMs).b) <= 48 * HOUR,
      })
    }
  }
  return rows
}
