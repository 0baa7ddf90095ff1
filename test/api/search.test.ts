import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inPlace, PlacedRows } from '../../api/placedRows.ts'
import { type Search, TopicIndex, topicWords, type Wanted } from '../../api/search.ts'
import { SlotRows } from '../../api/slotRows.ts'
import { runNow } from '../../api/steps.ts'

const texts = [
  'Will the Fed cut rates by 25 bps in December 2026?',
  'Will Beyoncé release an album in 2026?',
  'Fed rate decision in January 2027',
  'Will Paris be the host?',
]
type Row = { id: string; text: string }
const startIndex = (wanted: Wanted = 'all') => new TopicIndex<Row>({ textOf: ({ text }) => text, wanted })
const searchOf = (rows: readonly Row[], wanted?: Wanted) => runNow(startIndex(wanted).update(inPlace(rows)))

/** Puts rows into slots that they keep while they live, as a reader of boards does. */
function placer() {
  let bySlot = SlotRows.none<Row>()
  return (rows: readonly Row[]): PlacedRows<Row> => {
    const ids = new Map(rows.map((row) => [row.id, row]))
    const slotOf = new Map<string, number>()
    const changes = new Map<number, Row | undefined>()
    const free: number[] = []
    for (let slot = 0; slot < bySlot.size; slot++) {
      const before = bySlot.at(slot)
      const row = before && ids.get(before.id)
      if (row === undefined) free.push(slot)
      else slotOf.set(row.id, slot)
      if (row !== before) changes.set(slot, row)
    }
    let next = bySlot.size
    for (const row of rows) {
      if (slotOf.has(row.id)) continue
      const slot = free.shift() ?? next++
      changes.set(slot, row)
      slotOf.set(row.id, slot)
    }
    bySlot = bySlot.with(changes)
    return new PlacedRows(
      Int32Array.from(rows, ({ id }) => slotOf.get(id)!),
      bySlot,
    )
  }
}

describe('q finds topics by words', () => {
  const board = texts.map((text, at) => ({ id: `${at}`, text }))
  const search = searchOf(board)
  test.each([
    ['fed rate', [0, 2]],
    ['FED RATES', [0, 2]],
    ['fed rate january', [2]],
    ['beyonce album', [1]],
    ['will the', [0, 3]], //  only stop words: then they count
    ['fed tennis', []],
    ['2026 fed album', []], // two of three are not all
    ['', []],
    ['!!! ???', []],
    ['the fed', [0, 2]],
  ])('%s', (q, rows) => {
    expect(search(q, 10)).toEqual(rows.map((at) => board[at]))
  })

  test('keeps the order of the board and stops at max', () => {
    expect(search('fed', 1)).toEqual([board[0]])
  })

  test('behind them what is wanted, however far down; nothing that does not match', () => {
    const album = (row: Row) => /album/i.test(row.text)
    expect(search('fed', 1, (row) => row === board[2])).toEqual([board[0], board[2]])
    expect(search('fed', 1, (row) => row === board[0])).toEqual([board[0]])
    expect(search('fed', 1, album)).toEqual([board[0]])
  })

  test('words lose case, accents and a plural s', () => {
    expect(topicWords('Rates, ÉLECTIONS & class!')).toEqual(['rate', 'election', 'class'])
  })

  test('nor does it matter what cannot be seen inside them', () => {
    expect(topicWords('\u2068bit\u00adcoin\u2069 be\u2060fore \u200eNo\u200dvember\ufeff')).toEqual([
      'bitcoin',
      'before',
      'november',
    ])
  })

  test.each([
    ['Martin Ødegaard', 'martin odegaard'],
    ['Lech Wałęsa, Łódź', 'LECH WALESA LODZ'],
    ['Diyarbakır', 'DİYARBAKIR'],
    ['Diyarbakır', 'diyarbakir'],
    ['Alice Weiß', 'ALICE WEISS'],
    ['Þórður Æsir', 'Thordur AESIR'],
    ['Novak Đoković', 'novak dokovic'],
  ])('%s is found as %s', (title, q) => {
    expect(topicWords(q)).toEqual(topicWords(title))
  })
})

describe('a number is one word, however it is written', () => {
  const board = [
    { id: 'btc', text: 'Bitcoin above $88,000 on December 31, 2026?' },
    { id: 'ceo', text: 'Chief executive paid more than 1.5M this year?' },
    { id: 'run', text: 'A 10,000th run, and 5 minutes later the 100m final?' },
  ]
  const search = searchOf(board)
  test.each([
    ['bitcoin 88000', 'btc'],
    ['bitcoin 88,000', 'btc'],
    ['bitcoin $88k', 'btc'],
    ['88K', 'btc'],
    ['88.0k', 'btc'],
    ['1.5m', 'ceo'],
    ['1,500,000', 'ceo'],
    ['1500k', 'ceo'],
    ['100m', 'run'],
    ['10000th', 'run'],
    ['5 minutes', 'run'],
    ['bitcoin 31 2026', 'btc'], //  a date's comma joins nothing
    ['bitcoin 88', null], //        another number
    ['bitcoin 000', null],
    ['bitcoin 880,00', null],
  ])('%s', (q, id) => {
    expect(search(q, 9).map((row) => row.id)).toEqual(id === null ? [] : [id])
  })
})

describe('a number with decimals or a sign finds that number and no other', () => {
  const board = [
    { id: 'one', text: 'Will inflation be above 1.0% in 2026?' },
    { id: 'tenth', text: 'Will inflation be above 0.1% in 2026?' },
    { id: 'minus', text: 'Will inflation be above -0.1% in 2026: >-0.1%' },
    { id: 'range', text: 'Will the rate be 3.50-3.75% in 2026?' },
    { id: 'half', text: 'Will Avalanche be above $16.50?' },
    { id: 'whole', text: 'Will Avalanche be above $16?' },
    { id: 'line', text: 'Spread: Rockets (−6.5)' },
  ]
  const search = searchOf(board)
  test.each([
    ['inflation 0.1', ['tenth', 'minus']],
    ['inflation -0.1%', ['minus']],
    ['inflation >-0.1', ['minus']],
    ['inflation 1', ['one']],
    ['inflation 1.0', ['one']],
    ['inflation 1.00%', ['one']],
    ['inflation 10', []],
    ['avalanche $16', ['whole']],
    ['avalanche 16.00', ['whole']],
    ['avalanche 16.5', ['half']],
    ['avalanche $16.50?', ['half']],
    ['3.5 3.75', ['range']],
    ['rate 3.50-3.75', ['range']],
    ['rate -3.75', []], //  a range has no negative number
    ['rockets 6.5', ['line']],
    ['rockets -6.5', ['line']],
  ])('%s', (q, ids) => {
    expect(search(q, 9).map((row) => row.id)).toEqual(ids)
  })
})

describe('a letter that only belongs to a word is no word', () => {
  const board = [
    { id: 'open', text: 'Will Iga Swiatek win the 2026 Women’s US Open?' },
    { id: 'chart', text: "How many sales will BTS's album have?" },
    { id: 'tariff', text: 'Will the U.S. end the Trump tariffs?' },
    { id: 'wall', text: 'Will Trump finish a wall?' },
    { id: 'vance', text: 'Will J.D. Vance visit Washington, D.C., at 9 a.m.?' },
  ]
  test.each([
    ["women's US open", ['open']],
    ['womens us open', ['open']],
    ["Trump's wall", ['wall']],
    ["Trump's tariffs", ['tariff']],
    ['trump’s tariff', ['tariff']],
    ['us tariffs', ['tariff']],
    ['u.s. tariffs', ['tariff']],
    ['US', ['open', 'tariff']],
    ['jd vance dc', ['vance']],
    ['s', []],
  ])('%s', (q, ids) => {
    expect(searchOf(board)(q, 9).map((row) => row.id)).toEqual(ids)
  })

  test("a name of one letter keeps its s: A's is more than a stop word", () => {
    expect(topicWords("A's win over Trump's")).toEqual(['a', 's', 'win', 'over', 'trump'])
  })

  test("rows that share a word: not those that share the s behind a name's apostrophe", () => {
    const search = searchOf(board, 'any')
    expect(search("Trump's budget", 9).map((row) => row.id)).toEqual(['tariff', 'wall'])
    expect(search('u.s.', 9).map((row) => row.id)).toEqual(['open', 'tariff'])
  })
})

test.each(['all', 'any'] as const)('all of a long question counts, not its beginning: %s words', (wanted) => {
  const board = texts.map((text, at) => ({ id: `${at}`, text }))
  const search = searchOf(board, wanted)
  const filler = (word: string) => `${word} `.repeat(2_000)
  const hundred = Array.from({ length: 100 }, (_, at) => `word${at}`).join(' ')
  expect(search(`${filler('the')} zzzzqqqq`, 9)).toEqual([])
  expect(search(`${filler('the')} beyonce`, 9)).toEqual([board[1]])
  expect(search(`${filler('fed')} zzzzqqqq`, 9)).toEqual(wanted === 'all' ? [] : [board[0], board[2]])
  expect(search(`${hundred} beyonce`, 9)).toEqual(wanted === 'all' ? [] : [board[1]])
  const long = `${hundred} tournament`
  expect(searchOf([{ id: 'long', text: long }], wanted)(`${hundred} tennis`, 9)).toHaveLength(
    wanted === 'all' ? 0 : 1,
  )
})

describe('an index that is kept from one version of the board to the next', () => {
  const word = fc.constantFrom('fed', 'rate', 'rates', 'paris', 'will', 'cut')
  const row = fc.record({
    id: fc.nat(12).map(String),
    text: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  })
  const version = fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 12 })
  const questions = ['fed', 'rate fed', 'will', 'paris cut', 'nobody', '']

  test.each(['all', 'any'] as const)('answers as one made of that version alone: %s words', (wanted) => {
    fc.assert(
      fc.property(fc.array(version, { maxLength: 6 }), fc.integer({ min: 0, max: 4 }), (versions, max) => {
        const [kept, place] = [startIndex(wanted), placer()]
        const held: { rows: readonly Row[]; search: Search<Row> }[] = []
        for (const fresh of versions) {
          //  most rows of a version are the objects of the one before
          const before = held.at(-1)?.rows ?? []
          const rows = fresh.map(
            (each) => before.find(({ id, text }) => id === each.id && text === each.text) ?? each,
          )
          held.push({ rows, search: runNow(kept.update(place(rows))) })
          //  older versions are asked as well: somebody may still hold them
          for (const { rows: own, search } of held) {
            const alone = searchOf(own, wanted)
            for (const q of questions) expect(search(q, max)).toEqual(alone(q, max))
          }
        }
      }),
    )
  })
})

test('while a version is taken in, the one before is searched as it was', () => {
  const texts = (changed: string) =>
    Array.from({ length: 1_000 }, (_, id) => ({ id: `${id}`, text: id % 3 === 0 ? changed : 'fed rate' }))
  const [index, place] = [startIndex(), placer()]
  const first = texts('paris')
  const search = runNow(index.update(place(first)))
  //  some rows change their text, some go, some come, and all move
  const fresh = Array.from({ length: 300 }, (_, at) => ({ id: `fresh${at}`, text: 'paris' }))
  const second = [...fresh, ...texts('oslo').slice(100).reverse()]
  const steps = index.update(place(second))
  let turns = 0
  let newest = steps.next()
  for (; !newest.done; newest = steps.next()) {
    turns++
    expect(search('paris', 2_000)).toEqual(first.filter(({ text }) => text === 'paris'))
    expect(search('oslo', 9)).toEqual([])
  }
  expect(turns).toBeGreaterThan(3)
  expect(newest.value('paris', 9)).toEqual(fresh.slice(0, 9))
  expect(newest.value('oslo', 2_000)).toEqual(second.filter(({ text }) => text === 'oslo'))
  expect(search('paris', 2_000)).toEqual(first.filter(({ text }) => text === 'paris'))
})

test('a row that is taken in has no rank yet, also where another row stood some versions before', () => {
  const [index, place] = [startIndex(), placer()]
  const row = (id: string, text: string) => ({ id, text })
  const [a, z] = [row('a', 'first'), row('z', 'last')]
  for (const rows of [
    [a, row('old', 'oslo'), z],
    [a, z],
    [a, z],
  ])
    runNow(index.update(place(rows)))
  const search = runNow(index.update(place([z, a])))
  for (const version of [1, 2, 3]) {
    const fresh = row(`new${version}`, 'paris')
    const steps = index.prepare(place([z, fresh, a]))
    let step = steps.next()
    for (; !step.done; step = steps.next()) expect(search('paris', 9)).toEqual([])
    expect(search('paris', 9)).toEqual([])
    expect(step.value()('paris', 9)).toEqual([fresh])
    if (version < 3) runNow(index.update(place([z, a])))
    expect(search('last', 9)).toEqual([z])
  }
})
