import { expect, onTestFinished, test, vi } from 'vitest'
import { EventIndex, type IndexedEvent } from '../../../../engine/core/pairing/eventIndex.ts'
import { Pairer } from '../../../../engine/core/pairing/pairer.ts'
import { marketA, marketB } from '../../support/markets.ts'

const BROKEN = {
  get markets(): never {
    throw new TypeError('outcomes')
  },
} as Partial<IndexedEvent> as IndexedEvent

test('VEN-13 where looking for partners fails, it is told of, and what was found and counted before stands', () => {
  const told: string[] = []
  const pairer = new Pairer({ onFault: ({ marketId }, error) => told.push(`${marketId} ${error}`) })
  for (const who of ['Ann Bell', 'Bo Cole'])
    pairer.set(
      marketB(`V-${who[0]}`, `Will ${who} visit Chile before Jul 1, 2027?`, {
        outcome: who,
        eventTitle: 'Who will visit Chile?',
        eventId: 'V',
      }),
    )
  pairer.set(marketA('1', 'Will Ann Bell visit Chile by June 30, 2027?'))
  //  no text is known to make it fail once the markets are read
  const { propose } = EventIndex.prototype
  const proposing = vi.spyOn(EventIndex.prototype, 'propose')
  onTestFinished(() => proposing.mockRestore())
  proposing.mockImplementation(function (this: EventIndex, ...asked) {
    return [...propose.apply(this, asked), BROKEN]
  })
  pairer.set(marketA('2', 'Will Bo Cole visit Chile by June 30, 2027?'))
  expect(told).toEqual(['2 TypeError: outcomes'])
  expect([...pairer.pairs.keys()].sort()).toEqual(['a:1|b:V-A', 'a:2|b:V-B'])
  expect(Object.keys(pairer.refusedCounts())).not.toEqual([])
  for (const id of ['1', '2']) pairer.remove('a', id)
  expect([pairer.pairs.size, pairer.refusedCounts()]).toEqual([0, {}])
})
