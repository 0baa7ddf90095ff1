import { describe, expect, test } from 'vitest'
import { EventIndex, type IndexedEvent, says } from '../../../../engine/core/pairing/eventIndex.ts'
import { type Fingerprint, fingerprint } from '../../../../engine/core/pairing/fingerprint.ts'
import { pairAll } from '../../../../engine/core/pairing/pairAll.ts'
import { Pairer } from '../../../../engine/core/pairing/pairer.ts'
import { nameSide } from '../../../../engine/core/pairing/sides.ts'
import { readLabels } from '../../../../engine/core/pairing/sports.ts'
import { Vocabulary } from '../../../../engine/core/pairing/vocabulary.ts'
import { readWords } from '../../../../engine/core/pairing/words.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'
import { random } from '../../support/universe.ts'

describe('texts share words, and none is changed by another text', () => {
  test.each([
    ['two Ferries', '"two Ferries" leave'],
    ['two of them', 'two million of them'],
    ['five', 'top-five'],
    ['25', '25 bps'],
    ['2026', 'over -2026 or TX-2026 or ">2026"'],
  ])('%s, after %s', (text, other) => {
    const before = structuredClone(readWords(text))
    readWords(other)
    expect(readWords(text)).toEqual(before)
  })

  test('more words than are remembered read as before', () => {
    const text = 'Ola Berg visits Chile before June 30, 2027'
    const before = structuredClone(readWords(text))
    for (let nth = 0; nth < 300; nth++)
      readWords(Array.from({ length: 200 }, (_, word) => `w${nth}x${word}`).join(' '))
    expect(readWords(text)).toEqual(before)
  })

  test('a side is one object for all markets that name it', () => {
    expect(nameSide('Berg')).toBe(nameSide('Berg'))
    expect(nameSide('Berg FC').words).toEqual(['berg'])
    expect(nameSide('Berg FC').raw).toEqual(['berg', 'fc'])
  })

  test.each([
    [['Sports', 'NBA'], { sport: 'basketball', isSport: true, league: 'nba' }],
    [['NBA', 'Tennis'], { sport: null, isSport: true, league: 'nba' }],
    [['Politics'], { sport: null, isSport: false, league: null }],
    [[], { sport: null, isSport: false, league: null }],
  ])('tags %j say %j, however often they are asked', (tags, labels) => {
    expect([readLabels(tags), readLabels(tags), readLabels([...tags])]).toEqual([labels, labels, labels])
  })
})

describe('markets hold together what they have in common', () => {
  const JUNE = Date.UTC(2027, 5, 30, 12)
  const rest = {
    eventId: 'e1',
    eventTitle: 'Who visits Chile?',
    tags: ['Politics'],
    closeMs: JUNE,
    rules: 'Whoever visits.',
  }
  const visit = (id: string, who: string, more: Partial<Market> = {}) =>
    marketA(id, `Will ${who} visit Chile by June 30, 2027?`, { ...structuredClone(rest), ...more })

  test('and say the same as alone', () => {
    const partners = ['Ola Berg', 'Mia Holm', 'Kim Lund'].map((who, nth) =>
      marketB(`KXVISIT-27-${nth}`, `Will ${who} visit Chile before Jul 1, 2027?`, {
        outcome: who,
        closeMs: JUNE,
      }),
    )
    const own = [
      visit('1', 'Ola Berg'),
      visit('2', 'Mia Holm', { closeMs: JUNE + 86_400_000 * 400 }),
      visit('3', 'Kim Lund', { rules: 'Virtually counts.' }),
    ]
    const alone = own.flatMap((market) => pairAll([structuredClone(market)], structuredClone(partners)).pairs)
    const together = pairAll(structuredClone(own), structuredClone(partners)).pairs
    expect(together.length).toBeGreaterThan(1)
    expect(together.sort((x, y) => (x.a < y.a ? -1 : 1))).toEqual(alone)
  })

  test('but each is judged by its own rules', () => {
    const price = (venue: typeof marketA, id: string, dollars: string, feed: string) =>
      venue(id, `Will BTC be above $${dollars} on June 30, 2027?`, {
        eventId: `KXBTC-27`,
        eventTitle: 'BTC on June 30, 2027',
        closeMs: JUNE,
        rules: `By the price of ${feed}.`,
      })
    const [a, b] = [
      [price(marketA, '1', '100,000', 'Coinbase'), price(marketA, '2', '110,000', 'Kraken')],
      [
        price(marketB, 'KXBTC-27-1', '100,000', 'Coinbase'),
        price(marketB, 'KXBTC-27-2', '110,000', 'Coinbase'),
      ],
    ]
    expect(pairAll(a, b).pairs.map(({ pairId }) => pairId)).toEqual(['a:1|b:KXBTC-27-1'])
  })

  test('tags are one list for all that have the same, also across events', () => {
    const pairer = new Pairer()
    pairer.load(visit('1', 'Ola Berg'))
    pairer.load(visit('2', 'Ola Berg', { eventId: 'e2' }))
    pairer.set(visit('3', 'Ola Berg', { eventId: 'e3' }))
    pairer.set(visit('1', 'Ola Berg')) //  the same again
    const tags = ['1', '2', '3'].map((id) => pairer.market('a', id)!.tags)
    expect(tags).toEqual([['Politics'], ['Politics'], ['Politics']])
    expect(new Set(tags).size).toBe(1)
  })

  test('the reasons of a pair are shared, so nobody can change them', () => {
    const { pairs } = pairAll(
      [visit('1', 'Ola Berg')],
      [marketB('KXVISIT-27-1', 'Will Ola Berg visit Chile before Jul 1, 2027?', { closeMs: JUNE })],
    )
    expect(pairs.length).toBe(1)
    expect(() => pairs[0]!.reasons.push('allowed')).toThrow(TypeError)
  })
})

describe('an event is found by the words of the markets it has now', () => {
  const NAMES = 'Arden Brook Calder Dunmore Everly Fenwick Gorman Hadley Ingram Jarvis Kerrigan Lowell'.split(
    ' ',
  )
  //  few markets are asked for their words, many are counted: tests both, and the change between them
  test.each([2, 8, 9, 40])('up to %d markets that come and go', (most) => {
    const next = random(most)
    const vocabulary = new Vocabulary()
    const index = new EventIndex(vocabulary)
    const open: Fingerprint[] = []
    for (let step = 0; step < 400; step++) {
      if (open.length === most || (open.length > 0 && next() < 0.4)) {
        index.remove(open.splice(Math.floor(next() * open.length), 1)[0]!)
      } else {
        const [first, last] = [NAMES[Math.floor(next() * 12)], NAMES[Math.floor(next() * 12)]]
        const print = fingerprint(
          marketB(`KXMAYOR-27-${step}`, `Will ${first} ${last} become mayor of Linz?`, {
            eventTitle: 'Mayor of Linz',
          }),
          vocabulary,
        )
        open.push(print)
        index.add(print)
      }
      const event = index.events.get('KXMAYOR-27')
      for (const name of NAMES) {
        const word = vocabulary.idAsRead(name.toLowerCase())
        const wanted = open.some(({ context }) => context.includes(word))
        const proposed = index.propose([word], { wide: false, sport: null, days: new Set() })
        expect([event !== undefined && says(event as IndexedEvent, word), proposed.length]).toEqual([
          wanted,
          wanted ? 1 : 0,
        ])
      }
    }
  })

  test('a market loaded twice counts once', () => {
    const vocabulary = new Vocabulary()
    const index = new EventIndex(vocabulary)
    const read = () => fingerprint(marketB('KXMAYOR-27-1', 'Will Ada Arden become mayor?'), vocabulary)
    index.add(read())
    const newest = read()
    expect(index.add(newest).markets).toEqual([newest])
    index.remove(newest)
    expect(index.events.size).toBe(0)
  })
})
