import { describe, expect, test } from 'vitest'
import { EventIndex, says } from '../../../../engine/core/pairing/eventIndex.ts'
import { fingerprint } from '../../../../engine/core/pairing/fingerprint.ts'
import { pairAll } from '../../../../engine/core/pairing/pairAll.ts'
import { Vocabulary } from '../../../../engine/core/pairing/vocabulary.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const FIRST = 'Anya Boris Clara Dario Elena Fabio Greta Hugo Irina Jonas Karla Lukas'.split(' ')
const LAST = 'Arden Brook Calder Dunmore Everly Fenwick Gorman Hadley Ingram Jarvis Kerrigan Lowell'.split(
  ' ',
)

/** Tennis in a world of twelve given names and twelve surnames: every name is common, only a combination is rare. */
function matches(): { a: Market[]; b: Market[] } {
  const [a, b] = [[] as Market[], [] as Market[]]
  for (let i = 0; i < LAST.length; i++)
    for (let j = i + 1; j < LAST.length; j++) {
      const [p, q] = [`${FIRST[(i + j) % 12]} ${LAST[i]}`, `${FIRST[(5 * i + j) % 12]} ${LAST[j]}`]
      const [idA, event] = [
        `${100 * i + j}`,
        `KXATPMATCH-27NOV22${LAST[i]!.slice(0, 3)}${LAST[j]!.slice(0, 3)}`,
      ]
      a.push(
        marketA(idA, `Linz Open: ${p} vs ${q}`, {
          eventId: `e${idA}`,
          eventTitle: `Linz Open: ${p} vs ${q}`,
          slug: `atp-${idA}-2027-11-22`,
          yesMeans: p,
        }),
      )
      for (const player of [p, q])
        b.push(
          marketB(
            `${event.toUpperCase()}-${player.split(' ')[1]!.slice(0, 3).toUpperCase()}`,
            `Will ${player} win the ${LAST[i]} vs ${LAST[j]} : Linz Open match?`,
            { eventId: event.toUpperCase(), eventTitle: `${LAST[i]} vs ${LAST[j]}`, outcome: player },
          ),
        )
    }
  return { a, b }
}

describe('proposals where every single word is common', () => {
  const { a, b } = matches()

  test('who meets whom is found, and every match is paired', () => {
    const { pairs } = pairAll(a, b)
    expect(pairs.length).toBe(a.length)
  })

  test('a match proposes its own event first, and few others', () => {
    const vocabulary = new Vocabulary()
    const index = new EventIndex(vocabulary)
    for (const market of b) index.add(fingerprint(market, vocabulary))
    for (const market of a) {
      const print = fingerprint(market, vocabulary)
      const proposed = index.propose(index.wordsOf(print), {
        wide: false,
        sport: true,
        days: new Set([print.timing.gameDay!]),
      })
      expect(proposed.length).toBeLessThanOrEqual(14)
      expect(says(proposed[0]!, print.meeting!)).toBe(true)
    }
  })

  test('what is shared by nobody proposes nothing', () => {
    const vocabulary = new Vocabulary()
    const index = new EventIndex(vocabulary)
    for (const market of b) index.add(fingerprint(market, vocabulary))
    const none = { wide: false, sport: null, days: new Set<number>() }
    expect(index.propose([vocabulary.id('unheard')], none)).toEqual([])
  })
})

describe('an event that answers everything it says goes before wordier ones', () => {
  test('a terse title is found among forty that share more words by chance', () => {
    const vocabulary = new Vocabulary()
    const index = new EventIndex(vocabulary)
    const wordy = Array.from({ length: 40 }, (_, n) =>
      marketB(
        `KXLONG${n}-27-X`,
        `Will Vermilion Harbor Council approve Ferry Plan ${LAST[n % 12]} ${FIRST[n % 11]}?`,
        {
          eventTitle: `Vermilion Harbor Council Ferry Plan ${LAST[n % 12]} ${FIRST[n % 11]} Phase`,
          eventId: `KXLONG${n}-27`,
        },
      ),
    )
    const terse = marketB('KXTERSE-27-X', 'Vermilion Harbor toll?', {
      eventTitle: 'Vermilion Harbor toll?',
      eventId: 'KXTERSE-27',
    })
    for (const market of [...wordy, terse]) index.add(fingerprint(market, vocabulary))
    const asked = fingerprint(
      marketA('1', 'Will the Vermilion Harbor Council approve a toll?', {
        eventTitle: 'Vermilion Harbor toll',
      }),
      vocabulary,
    )
    const proposed = index.propose(index.wordsOf(asked), { wide: false, sport: null, days: new Set() })
    expect(proposed.map(({ eventId }) => eventId)).toContain('KXTERSE-27')
  })
})

test('an event is about sport, or not, as long as all its markets are; if they differ it may be asked about either', () => {
  const vocabulary = new Vocabulary()
  const index = new EventIndex(vocabulary)
  const of = (id: string, category: string) =>
    fingerprint(marketA(id, `Will ${id} visit Chile?`, { eventId: 'visit', category }), vocabulary)
  const said = () => index.events.get('visit')!.sport
  const [first, second, third] = [of('1', 'Politics'), of('2', 'Sports'), of('3', 'Politics')]
  index.add(first)
  expect(said()).toBe(false)
  index.add(second)
  index.add(third)
  expect(said()).toBeNull()
  index.remove(first)
  expect(said()).toBeNull()
  index.remove(second)
  expect(said()).toBe(false)
})
