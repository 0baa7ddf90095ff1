import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pairAll } from '../../../../engine/core/pairing/pairAll.ts'
import { type OnFault, type Pair, Pairer, pairIdOf } from '../../../../engine/core/pairing/pairer.ts'
import { textDigest } from '../../../../engine/core/pairing/reviewed.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'
import { makeUniverse, random } from '../../support/universe.ts'

const keys = (pairs: Iterable<Pair>) => [...pairs].map(({ pairId, verdict }) => `${pairId} ${verdict}`).sort()
const visitA = (id: string, who: string, rest: Partial<Market> = {}) =>
  marketA(id, `Will ${who} visit Chile by June 30, 2027?`, rest)
const visitB = (ticker: string, who: string, rest: Partial<Market> = {}) =>
  marketB(ticker, `Will ${who} visit Chile before Jul 1, 2027?`, {
    outcome: who,
    eventTitle: 'Who will visit Chile?',
    ...rest,
  })

describe('a market whose texts make the pairing fail costs its own pairs and no more (VEN-13)', () => {
  const others = [
    visitA('1', 'Ann Bell'),
    visitB('V-1', 'Ann Bell'),
    visitA('3', 'Cy Dorn'),
    visitB('V-3', 'Cy Dorn'),
  ]
  const [a, b] = [visitA('2', 'Bo Cole'), visitB('V-2', 'Bo Cole', { eventId: 'E2' })]
  const broken = null as never //  a text that is none: every reading of it fails
  const told: string[] = []
  const noted: OnFault = ({ marketId }, error) => told.push(`${marketId} ${error instanceof TypeError}`)
  const pairsOf = (list: readonly Market[], by: 'set' | 'load', onFault?: OnFault) => {
    told.length = 0
    const pairer = new Pairer({ reviewed: [], onFault })
    for (const market of list) pairer[by](market)
    if (by === 'load') for (const _ of pairer.pairLoaded());
    return { pairer, pairs: [...pairer.pairs.keys()].sort() }
  }
  const whole = ['a:1|b:V-1', 'a:3|b:V-3']

  describe.each(['set', 'load'] as const)('by %s', (by) => {
    test.each([
      ['reading it', { tags: [broken] }, 'V-2 true'],
      ['comparing it', { rules: broken }, '2 true'],
    ])('%s fails: it is told of and has no pair, the others have theirs', (_, change, fault) => {
      const list = [...others, a, { ...b, ...change }]
      expect(() => pairsOf(list, by)).toThrow(TypeError) //  unless somebody hears of it
      const { pairer, pairs } = pairsOf(list, by, noted)
      expect(pairs).toEqual(whole)
      expect(new Set(told)).toEqual(new Set([fault]))
      expect(pairer.market('b', 'V-2')?.title).toBe(b.title)
      pairer.set(b) //  put right
      expect([...pairer.pairs.keys()].sort()).toEqual(['a:1|b:V-1', 'a:2|b:V-2', 'a:3|b:V-3'])
    })
  })

  test('one that becomes unreadable loses its pair, and goes like any other', () => {
    const { pairer } = pairsOf([...others, a, b], 'set', noted)
    pairer.set({ ...b, title: 'Will Bo Cole visit Chile before Aug 1, 2027?', tags: [broken] })
    expect([...pairer.pairs.keys()].sort()).toEqual(whole)
    pairer.remove('b', 'V-2')
    expect([pairer.count('b'), [...pairer.pairs.keys()].sort()]).toEqual([2, whole])
  })

  test('what could not be compared is counted among what is refused', () => {
    const { pairer } = pairsOf([a, { ...b, rules: broken }], 'set', noted)
    expect(pairer.refusedCounts()).toEqual({ unjudged: 1 })
  })
})

describe('pairing whole venues', () => {
  const { a, b, truth } = makeUniverse(1_500, 7)

  test('finds nearly all that belong together and nothing that does not', () => {
    const { pairs } = pairAll(a, b)
    const wrong = pairs.filter((pair) => truth.get(pair.a) !== pair.b)
    expect(truth.size).toBeGreaterThan(300)
    expect(wrong).toEqual([])
    expect(pairs.length).toBeGreaterThan(0.98 * truth.size)
  })

  test('is one to one', () => {
    const { pairs } = pairAll(a, b)
    expect(new Set(pairs.map((pair) => pair.a)).size).toBe(pairs.length)
    expect(new Set(pairs.map((pair) => pair.b)).size).toBe(pairs.length)
  })

  test('does not depend on the order of the markets', () => {
    const turned = pairAll([...a].reverse(), [...b].reverse())
    expect(keys(turned.pairs)).toEqual(keys(pairAll(a, b).pairs))
  })

  test('market by market comes to the same pairs as all at once', () => {
    const pairer = new Pairer()
    const mixed = [...a, ...b].sort((x, y) =>
      x.marketId.at(-1)! + x.marketId < y.marketId.at(-1)! + y.marketId ? -1 : 1,
    )
    for (const market of mixed) pairer.set(market)
    expect(keys(pairer.pairs.values())).toEqual(keys(pairAll(a, b).pairs))
  })

  test('markets that come and go leave what a fresh pairing of the rest finds', () => {
    const small = makeUniverse(120, 3, 0.6)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const next = random(seed)
        const pairer = new Pairer()
        const open = new Map<string, Market>()
        for (let step = 0; step < 400; step++) {
          const side = next() < 0.5 ? small.a : small.b
          const market = side[Math.floor(next() * side.length)]!
          if (open.has(market.marketId) && next() < 0.4) {
            open.delete(market.marketId)
            pairer.remove(market.venue, market.marketId)
          } else {
            open.set(market.marketId, market)
            pairer.set(market)
          }
        }
        const rest = [...open.values()]
        const fresh = pairAll(
          rest.filter(({ venue }) => venue === 'a'),
          rest.filter(({ venue }) => venue === 'b'),
        )
        expect(keys(pairer.pairs.values())).toEqual(keys(fresh.pairs))
      }),
      { numRuns: 12 },
    )
  })
})

describe('one market at a time', () => {
  test('a new market pairs at once, and its going ends the pair', () => {
    const pairer = new Pairer()
    pairer.set(visitA('1', 'Ola Berg'))
    pairer.set(visitB('KXCHILE-27JUL01-OBER', 'Ola Berg'))
    const pairId = 'a:1|b:KXCHILE-27JUL01-OBER'
    expect([...pairer.drain()]).toMatchObject([{ pairId }])
    expect(pairer.pairs.get(pairId)).toMatchObject({ verdict: 'identity' })
    expect(pairer.pairOf('a', '1')).toBe(pairer.pairs.get(pairId))
    expect(pairer.pairOf('b', 'KXCHILE-27JUL01-OBER')).toBe(pairer.pairs.get(pairId))
    pairer.remove('b', 'KXCHILE-27JUL01-OBER')
    expect([...pairer.drain()]).toMatchObject([{ pairId }])
    expect([pairer.pairs.size, pairer.pairOf('a', '1')]).toEqual([0, null])
  })

  test('VEN-10 a market whose text is edited is judged again', () => {
    const pairer = new Pairer()
    pairer.set(visitA('1', 'Ola Berg'))
    pairer.set(visitB('KXCHILE-27JUL01-OBER', 'Ola Berg'))
    pairer.set(visitA('1', 'Leo Kirk'))
    expect(pairer.pairs.size).toBe(0)
    pairer.set(visitA('1', 'Ola Berg'))
    expect(pairer.pairs.size).toBe(1)
    pairer.set(
      visitB('KXCHILE-27JUL01-OBER', 'Ola Berg', {
        rules: 'If Ola Berg visits Chile before Sep 1, 2027, then the market resolves to Yes.',
      }),
    )
    expect(pairer.pairs.size).toBe(0)
  })

  test('VEN-10 the labels of a whole event are put right market by market: it is sought where it belongs', () => {
    const names = ['Ola Berg', 'Leo Kirk', 'Mia Holt']
    const before = { eventId: 'visit', category: 'Sports' }
    const after = { eventId: 'visit', category: 'Politics' }
    const pairer = new Pairer()
    for (const name of names) pairer.set(visitB(`KXCHILE-27JUL01-${name}`, name, { category: 'Politics' }))
    for (const [id, name] of names.entries()) pairer.set(visitA(`${id}`, name, before))
    expect(pairer.pairs.size).toBe(0)
    for (const [id, name] of names.entries()) pairer.set(visitA(`${id}`, name, after))
    expect(pairer.pairs.size).toBe(3)
  })

  test('a market that was in an event for a while leaves it as it was', () => {
    const pairer = new Pairer()
    pairer.set(visitA('9', 'Leo Kirk', { eventId: 'visit', category: 'Sports' }))
    pairer.set(visitA('1', 'Ola Berg', { eventId: 'visit', category: 'Politics' }))
    pairer.remove('a', '9')
    pairer.set(visitB('KXCHILE-27JUL01-OBER', 'Ola Berg', { category: 'Politics' }))
    expect(pairer.pairs.size).toBe(1)
  })

  test.each<[string, Partial<Market>, Partial<Market>]>([
    ['a label that names the sport', { tags: ['Sports'] }, { tags: ['Sports', 'Hockey'] }],
    [
      'the address, where the event has none',
      { slug: null, marketSlug: 'some-dal-det' },
      { slug: null, marketSlug: 'nhl-dal-det' },
    ],
  ])('VEN-10 judged again, as a fresh pairing would: %s', (_what, before, after) => {
    const gameMs = Date.parse('2027-01-15T23:00:00Z')
    const a = (rest: Partial<Market>) =>
      marketA('1', 'Dallas Stars vs. Detroit Red Wings', { slug: 'some-dal-det', gameMs, ...rest })
    const b = marketB('KXPUCKGAME-27JAN15DALDET-DET', 'Dallas Stars vs Detroit Red Wings Winner?', {
      outcome: 'Detroit Red Wings',
    })
    //  the other side is the opposite only in a sport without draws
    const fresh = (rest: Partial<Market>) => keys(pairAll([a(rest)], [b]).pairs)
    expect([fresh(before).length, fresh(after).length]).toEqual([0, 1])
    const pairer = new Pairer()
    for (const market of [b, a(before)]) pairer.set(market)
    for (const rest of [after, before, after]) {
      pairer.set(a(rest))
      expect(keys(pairer.pairs.values())).toEqual(fresh(rest))
    }
  })

  test('what asks nothing may change freely: link, token, fees', () => {
    const pairer = new Pairer()
    pairer.set(visitA('1', 'Ola Berg'))
    pairer.set(visitB('KXCHILE-27JUL01-OBER', 'Ola Berg'))
    pairer.drain()
    pairer.set(
      visitA('1', 'Ola Berg', {
        url: 'https://polymarket.com/event/other',
        tokenId: '9',
        fees: { rate: 0.05, exponent: 1, rounding: 'a_five_decimals', flagged: false },
      }),
    )
    expect([...pairer.drain()]).toEqual([])
    expect(pairer.market('a', '1')!.tokenId).toBe('9')
  })

  test('refusals are counted by their first reason while both markets are open', () => {
    const pairer = new Pairer()
    pairer.set(visitA('1', 'Ola Berg'))
    pairer.set(
      marketB('KXCHILE-27AUG01-OBER', 'Will Ola Berg visit Chile before Aug 1, 2027?', {
        outcome: 'Ola Berg',
      }),
    )
    expect(pairer.refusedCounts()).toEqual({ limit: 1 })
    pairer.remove('b', 'KXCHILE-27AUG01-OBER')
    expect(pairer.refusedCounts()).toEqual({})
  })
})

describe('one to one', () => {
  test('two markets of a venue that ask the same: either may stand for both', () => {
    const { pairs } = pairAll(
      [visitA('1', 'Ola Berg'), marketA('2', 'Will Ola Berg visit Chile before July 2027?', { rules: 'x' })],
      [visitB('KXCHILE-27JUL01-OBER', 'Ola Berg')],
    )
    expect(pairs).toHaveLength(1)
  })

  test('the one that stands for both asks something else from now on: the other one stands for it, and its former partner has no other', () => {
    const pairer = new Pairer({ reviewed: [] })
    for (const id of ['1', '2']) pairer.set(visitA(id, 'Ola Berg'))
    const b = visitB('KXCHILE-27JUL01-OBER', 'Ola Berg')
    pairer.set(b)
    const [first] = [...pairer.pairs.values()]
    const other = first!.a === '1' ? '2' : '1'
    pairer.set(visitA(first!.a, 'Kim Novak'))
    expect([...pairer.pairs.values()].map((pair) => [pair.a, pair.b])).toEqual([[other, b.marketId]])
    expect(pairer.pairOf('b', b.marketId)?.a).toBe(other)
    pairer.set(visitA(other, 'Kim Novak'))
    expect([pairer.pairs.size, pairer.pairOf('b', b.marketId)]).toEqual([0, null])
  })

  test('two partners that do not mean the same make every one of them doubtful', () => {
    //  a doubleheader: both games fit by name and day, and the hour of A is between them
    const game = (ticker: string) =>
      marketB(`${ticker}-CWS`, 'Chicago WS vs Detroit Winner?', { outcome: 'Chicago WS' })
    const a = marketA('1', 'Chicago White Sox vs. Detroit Tigers', {
      slug: 'mlb-cws-det-2027-08-15',
      gameMs: Date.parse('2027-08-15T18:30:00Z'),
    })
    const one = pairAll([a], [game('KXMLBGAME-27AUG151310CWSDET')])
    const two = pairAll([a], [game('KXMLBGAME-27AUG151310CWSDET'), game('KXMLBGAME-27AUG151550CWSDET')])
    expect(one.pairs).toHaveLength(1)
    expect(two.pairs).toEqual([])
  })

  test('two players of one name meet: one event asks nothing twice', () => {
    const title = 'Will Smith: 2+ total bases'
    const a = marketA('1', title, { slug: 'mlb-lad-kc-2027-08-15-bases', eventId: 'e' })
    const of = (player: string) =>
      marketB(`KXMLBTB-27AUG151310LADKC-${player}-2`, `${title}?`, {
        outcome: 'Will Smith: 2+',
        eventId: 'KXMLBTB-27AUG151310LADKC',
      })
    expect(pairAll([a], [of('LADWSMITH16')]).pairs).toHaveLength(1)
    expect(pairAll([a], [of('LADWSMITH16'), of('KCWSMITH31')]).pairs).toEqual([])
    expect(pairAll([a, { ...a, marketId: '2' }], [of('LADWSMITH16')]).pairs).toEqual([])
  })

  test('more markets that hang together than are told apart: none is paired until there are fewer', () => {
    const pairer = new Pairer({ reviewed: [], knotBound: 3 })
    const pairs = () => [...pairer.pairs.keys()]
    pairer.set(visitA('1', 'Ola Berg'))
    pairer.set(visitA('2', 'Ola Berg'))
    pairer.set(visitB('KXCHILE-27JUL01-OBER', 'Ola Berg'))
    expect(pairs()).toHaveLength(1)
    pairer.set(visitA('3', 'Ola Berg'))
    expect(pairs()).toEqual([])
    expect(pairer.refusedCounts().taken).toBe(3)
    pairer.remove('a', '1')
    expect(pairs()).toEqual([pairIdOf('2', 'KXCHILE-27JUL01-OBER')])
  })

  test('the market of the same team goes before the one of the other team', () => {
    const a = marketA('1', 'Chicago White Sox vs. Detroit Tigers', { slug: 'mlb-cws-det-2027-08-15' })
    const b = (team: string, code: string) =>
      marketB(`KXMLBGAME-27AUG151310CWSDET-${code}`, 'Chicago WS vs Detroit Winner?', { outcome: team })
    const both = pairAll([a], [b('Detroit', 'DET'), b('Chicago WS', 'CWS')])
    expect(both.pairs).toMatchObject([{ b: 'KXMLBGAME-27AUG151310CWSDET-CWS', verdict: 'identity' }])
    const other = pairAll([a], [b('Detroit', 'DET')])
    expect(other.pairs).toMatchObject([{ b: 'KXMLBGAME-27AUG151310CWSDET-DET', verdict: 'inverted' }])
  })
})

describe('the reviewed list overrides, for the texts that were read', () => {
  const [a, b] = [visitA('1', 'Ola Berg'), visitB('KXCHILE-27JUL01-OBER', 'Ola Berg')]
  const entry = (verdict: 'identity' | 'inverted' | 'denied', x = a, y = b) => ({
    a: x.marketId,
    b: y.marketId,
    verdict,
    why: 'read by hand',
    on: '2027-01-01',
    digest: textDigest(x, y),
  })
  const pairsWith = (list: ReturnType<typeof entry>[], x = a, y = b) => {
    const pairer = new Pairer({ reviewed: list })
    pairer.set(x)
    pairer.set(y)
    return [...pairer.pairs.values()].map(({ verdict, reasons }) => ({ verdict, reasons }))
  }

  test('denies what the rules would accept', () => {
    expect(pairsWith([entry('denied')])).toEqual([])
  })

  test('allows what the rules would refuse', () => {
    const other = marketB('KXCHILE-27AUG01-OBER', 'Will Ola Berg set foot in Chile before Jul 1, 2027?', {
      outcome: 'Ola Berg',
    })
    expect(pairsWith([], a, other)).toEqual([])
    expect(pairsWith([entry('identity', a, other)], a, other)).toEqual([
      { verdict: 'identity', reasons: ['allowed'] },
    ])
  })

  test('sleeps when a venue edits the text', () => {
    const edited = { ...b, rules: 'New rules.' }
    expect(pairsWith([entry('denied')], a, edited)).toHaveLength(1)
  })
})
