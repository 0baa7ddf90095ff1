import { expect, test } from 'vitest'
import { DROPPED_AT_ONCE, PARTS_KEPT, PartShelf } from '../../../engine/stages/partShelf.ts'

const partsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ digest: `${name}${at}`, text: () => '[]' }))

/** As the publishing script would store it. */
function publishOn(shelf: PartShelf, stored: Set<string>, named: ReturnType<typeof partsOf>) {
  const change = shelf.plan(named)
  expect(change.before).toBe(stored.size)
  for (const { digest } of change.put) stored.add(digest)
  for (const digest of change.drop) stored.delete(digest)
  shelf.commit(change)
  for (const { digest } of named) expect(stored).toContain(digest)
  return change
}

test('a part that is named twice, or somewhere else, is stored once and stays', () => {
  const [shelf, stored] = [new PartShelf(), new Set<string>()]
  const [x, y, z] = partsOf('p', 3)
  expect(publishOn(shelf, stored, [x!, x!, y!]).put).toEqual([x, y])
  expect(publishOn(shelf, stored, [y!, x!, z!]).put).toEqual([z])
  for (let round = 0; round <= PARTS_KEPT + 1; round++) publishOn(shelf, stored, [y!, x!, z!])
  expect(publishOn(shelf, stored, [z!]).put).toEqual([])
  for (let round = 0; round < PARTS_KEPT - 2; round++) publishOn(shelf, stored, [z!])
  expect(publishOn(shelf, stored, [z!, x!]).put).toEqual([]) //  named again before it was dropped
  for (let round = 0; round <= PARTS_KEPT; round++) publishOn(shelf, stored, [z!, x!])
  expect([...stored].sort()).toEqual(['p0', 'p2'])
})

test('when many went, at most DROPPED_AT_ONCE are dropped by one publication', () => {
  const [shelf, stored] = [new PartShelf(), new Set<string>()]
  publishOn(shelf, stored, partsOf('old', DROPPED_AT_ONCE + 10))
  const fresh = partsOf('new', 2)
  const drops = Array.from({ length: PARTS_KEPT + 3 }, () => publishOn(shelf, stored, fresh).drop.length)
  expect(drops).toEqual([...Array(PARTS_KEPT).fill(0), DROPPED_AT_ONCE, 10, 0])
})
