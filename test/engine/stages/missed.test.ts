import { expect, test } from 'vitest'
import { Missed } from '../../../engine/stages/missed.ts'
import { type Changes, noChanges } from '../../../engine/stages/world.ts'

const changes = (some: Partial<Changes>): Changes => ({ ...noChanges(), ...some })
const [one, other] = [
  { venue: 'a', marketId: '1' },
  { venue: 'b', marketId: '1' },
] as const

test('what was missed is told as one: each pair and market once, a sweep that was among it, when the newest was written', () => {
  const missed = new Missed()
  expect([missed.changes, missed.writtenMs]).toEqual([noChanges(), 0])
  missed.add(changes({ pairs: new Set(['p1']), touched: [one] }), 1)
  missed.add(changes({ sweep: true }), 2)
  missed.add(changes({ pairs: new Set(['p1', 'p2']), touched: [one, other] }), 3)
  missed.add(null, 4) //  nobody could read it
  expect(missed.changes).toEqual({ pairs: new Set(['p1', 'p2']), touched: [one, other], sweep: true })
  expect(missed.writtenMs).toBe(4)
})
