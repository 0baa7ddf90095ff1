import type { Instance } from './instance.ts'

/**
 * The words of the current event of each slot: made when it is first listed, replaced when the slot
 * moves on, so never more than one entry per slot. Words of past events are made anew each time.
 */
export function textCache<Text>(make: (instance: Instance) => Text) {
  const kept: ({ generation: number; text: Text } | undefined)[] = []
  return (instance: Instance, current: boolean): Text => {
    const have = kept[instance.slot.index]
    if (have?.generation === instance.generation) return have.text
    const text = make(instance)
    if (current) kept[instance.slot.index] = { generation: instance.generation, text }
    return text
  }
}
