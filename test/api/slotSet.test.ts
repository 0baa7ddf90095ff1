import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlotSet } from '../../api/slotSet.ts'

test('holds what was added and not deleted, each once, ascending', () => {
  const step = fc.record({ kind: fc.constantFrom('add', 'add', 'delete'), slot: fc.nat(20) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const [slots, plain] = [new SlotSet(), new Set<number>()]
      for (const { kind, slot } of steps) {
        if (kind === 'add') {
          slots.add(slot)
          plain.add(slot)
        } else {
          slots.delete(slot)
          plain.delete(slot)
        }
        expect([...slots.all()]).toEqual([...plain].sort((x, y) => x - y))
        expect(slots.size).toBe(plain.size)
        for (let each = 0; each <= 20; each++) expect(slots.has(each)).toBe(plain.has(each))
      }
    }),
  )
})
