import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const rules = 'Resolves to yes if it happens.'
const closeMs = Date.parse('2028-01-01T04:59:00Z')
const judged = (titleA: string, titleB: string, rest: Partial<Market> = {}) =>
  judge(
    marketA('1', titleA, { rules, closeMs, ...rest }),
    marketB('KXTEST-X-YZ', titleB, { rules, closeMs, eventTitle: titleB, ...rest }),
  )

/** Expects a refusal whichever venue asks which, although each question pairs with itself. */
const expectRefused = (x: string, y: string, reason: string) => {
  for (const [titleA, titleB] of [
    [x, y],
    [y, x],
  ] as const)
    expect(judged(titleA, titleB)).toEqual({ verdict: 'related', reasons: [reason] })
  for (const title of [x, y]) expect(judged(title, title).verdict).toBe('identity')
}

describe('VEN-10 who acts on whom is part of the question, whatever the verb', () => {
  test.each([
    ['Will Ola Berg be traded from the Foxes to the Herons in 2027?', 'from the Herons to the Foxes'],
    ['Will Ola Berg be traded to the Herons from the Foxes in 2027?', 'to the Foxes from the Herons'],
    ['Will Ola Berg move from Leeds to Milan in 2027?', 'from Milan to Leeds'],
  ])('%s is not %s', (title, turned) => {
    const other = title.replace(/(?:from|to) [\w ]+?(?= in 2027)/, turned)
    expect(other).not.toBe(title)
    expectRefused(title, other, 'roles_swapped')
  })

  test.each([
    ['appoint', ''],
    ['call', ''],
    ['apologize to', ''],
    ['send troops to', ''],
    ['extradite Leo Kirk to', ''],
    ['impose sanctions on', ''],
  ])('one to %s the other', (act) => {
    expectRefused(
      `Will Morland ${act} Verdania in 2027?`,
      `Will Verdania ${act} Morland in 2027?`,
      'roles_swapped',
    )
  })

  test('the outcome of a list is who does it', () => {
    const asked = (outcome: string) =>
      marketB('KXTEST-X-YZ', 'Who will call Leo Kirk in 2027?', { rules, closeMs, outcome })
    const a = (title: string) => marketA('1', title, { rules, closeMs })
    expect(judge(a('Will Ola Berg call Leo Kirk in 2027?'), asked('Ola Berg')).verdict).toBe('identity')
    expect(judge(a('Will Leo Kirk call Ola Berg in 2027?'), asked('Ola Berg')).reasons).toEqual([
      'roles_swapped',
    ])
  })

  test('to play for a side is not to play against it', () => {
    expectRefused(
      'Will Ola Berg play for the Foxes in 2027?',
      'Will Ola Berg play against the Foxes in 2027?',
      'negation',
    )
  })

  test.each([
    [
      'Will Ola Berg be traded from the Foxes to the Herons in 2027?',
      'Will Ola Berg be traded to the Herons from the Foxes in 2027?',
    ],
    ['Will Ola Berg and Leo Kirk debate in 2027?', 'Will Leo Kirk and Ola Berg debate in 2027?'],
    ['Will Ola Berg meet Leo Kirk in 2027?', 'Will Leo Kirk meet Ola Berg in 2027?'],
    ['Will Morland hold talks with Verdania in 2027?', 'Will Verdania hold talks with Morland in 2027?'],
    [
      'Will the Texas Senate race be won by Democrats in 2028?',
      'Will Democrats win the Texas Senate race in 2028?',
    ],
  ])('what two do together, and a passive, may be said either way: %s', (titleA, titleB) => {
    expect(judged(titleA, titleB).verdict).toBe('identity')
  })
})

describe('VEN-10 a word that says what is counted refuses, though it looks like dressing', () => {
  test.each([
    [
      'the regular season',
      'Will the Foxes win 50 or more games in the 2027 regular season?',
      'Will the Foxes win 50 or more games in the 2027 season?',
    ],
    [
      'the playoffs',
      'Will Ola Berg score the most goals in the 2027 playoffs?',
      'Will Ola Berg score the most goals in the 2027 season?',
    ],
    [
      'to win outright',
      'Will the Reds win outright in the 2027 Morland election?',
      'Will the Reds win the 2027 Morland election?',
    ],
    [
      'a majority and the most seats',
      'Will the Reds win a majority in the 2027 Morland election?',
      'Will the Reds win the most seats in the 2027 Morland election?',
    ],
    [
      'a runoff',
      'Will Ola Berg win the 2027 Lima election in a runoff?',
      'Will Ola Berg win the 2027 Lima election?',
    ],
    [
      'to run and to hold the office',
      'Will Ola Berg be a candidate for mayor of Lima in 2027?',
      'Will Ola Berg be mayor of Lima in 2027?',
    ],
    [
      'an end',
      'Will the ferry strike end by December 31, 2027?',
      'Will the ferry strike happen by December 31, 2027?',
    ],
    [
      'a major attack',
      'Major cyberattack on Morland by December 31, 2027?',
      'Cyberattack on Morland by December 31, 2027?',
    ],
    ['any month', 'Will inflation be above 3% in any month of 2027?', 'Will inflation be above 3% in 2027?'],
    [
      'the fewest',
      'Will Ola Berg receive the least votes in Lima in 2027?',
      'Will Ola Berg receive votes in Lima in 2027?',
    ],
    [
      'a day and a week',
      'Will "Long Night" get 10m views on its first day in 2027?',
      'Will "Long Night" get 10m views in its first week in 2027?',
    ],
    [
      'a report and a list',
      'Will the Kirk report be published in 2027?',
      'Will the Kirk list be published in 2027?',
    ],
    [
      'a level in place of a price',
      'Will the water level be above 5 in 2027?',
      'Will the water price be above 5 in 2027?',
    ],
    [
      'the state senate',
      'Will Democrats win the Iowa state senate in 2028?',
      'Will Democrats win the Iowa Senate in 2028?',
    ],
  ])('%s', (_what, x, y) => {
    for (const [titleA, titleB] of [
      [x, y],
      [y, x],
    ] as const)
      expect(['words', 'name', 'limit_unknown', 'year']).toContain(judged(titleA, titleB).reasons[0])
    for (const title of [x, y]) expect(judged(title, title).verdict).toBe('identity')
  })

  test.each([
    [
      'Will the Reds win an outright majority in the 2027 Morland election?',
      'Will the Reds win a majority in the 2027 Morland election?',
    ],
    [
      'Will the Foxes win 50 or more games in the 2027 regular season?',
      'Will the Foxes win at least 50 regular season games in 2027?',
    ],
    [
      'Will Ola Berg win the 2027 Lima election (including any runoffs)?',
      'Will Ola Berg win the 2027 Lima election?',
    ],
    [
      'Will the Fed increase interest rates by 25 bps after the June 2027 meeting?',
      'Will the Fed hike rates by 25bps at their June 2027 meeting?',
    ],
    [
      'Will Ola Berg win the Lima mayoral race in 2027?',
      'Will the candidate Ola Berg win the 2027 Lima mayoral election?',
    ],
    [
      'Will Ola Berg receive the least votes in Lima in 2027?',
      'Will Ola Berg receive the fewest votes in Lima in 2027?',
    ],
  ])('the same in other words: %s', (titleA, titleB) => {
    expect(judged(titleA, titleB).verdict).toBe('identity')
  })
})

describe('VEN-10 thresholds and windows', () => {
  test.each([
    [
      'numbers',
      'Will the US impose a 25% tariff on Morland in 2027?',
      'Will the US impose at least a 25% tariff on Morland in 2027?',
    ],
    ['numbers', 'Will unemployment rise by 5% in 2027?', 'Will unemployment rise to 5% in 2027?'],
    [
      'window',
      'Will Ola Berg visit Peru between June 1 and June 30, 2027?',
      'Will Ola Berg visit Peru by June 30, 2027?',
    ],
    [
      'window',
      'Will Ola Berg visit Peru from June 4 to June 11, 2027?',
      'Will Ola Berg visit Peru from June 1 to June 11, 2027?',
    ],
    [
      'limit_unknown',
      'Will Ola Berg visit Peru before the election in 2027?',
      'Will Ola Berg visit Peru in the election in 2027?',
    ],
  ])('%s: %s', (reason, x, y) => expectRefused(x, y, reason))

  test('a window is the same as a limit for a contract that opened in it', () => {
    const a = marketA('1', 'Will Ola Berg visit Peru between June 1 and June 30, 2027?', { rules, closeMs })
    const opened = (day: string) =>
      marketB('KXTEST-27JUL01', 'Will Ola Berg visit Peru before Jul 1, 2027?', {
        rules,
        closeMs,
        openMs: Date.parse(day),
      })
    expect(judge(a, opened('2027-06-01T18:00:00Z')).verdict).toBe('identity')
    expect(judge(a, opened('2027-05-20T18:00:00Z')).reasons).toEqual(['window'])
  })
})

describe('VEN-10 markets of one event that share a title are told apart by the end of the ticker', () => {
  const a = marketA('1', 'Will Ola Berg visit Peru before 2028?', { rules, closeMs })
  test.each([
    ['27JUN', 'unreadable'], //  before June, whatever the title says
    ['27DEC', 'identity'],
    ['28JAN', 'identity'], //    before January
    ['28JAN01', 'identity'],
    ['27DEC30', 'unreadable'],
    ['28FEB', 'unreadable'],
    ['OBER', 'identity'],
  ])('this year, and %s: %s', (suffix, verdict) => {
    const b = marketB(`KXPERU-28-${suffix}`, 'Will Ola Berg visit Peru this year?', { rules, closeMs })
    expect(judge(a, b).verdict).toBe(verdict)
  })
})

describe('VEN-10 rules answer for a word of the other title in their first sentence only', () => {
  const asked = (titleA: string, titleB: string, rulesA: string) =>
    judge(
      marketA('1', titleA, { rules: rulesA, closeMs }),
      marketB('KXTEST-X-YZ', titleB, { rules, closeMs }),
    ).verdict

  test.each([
    ['first round', 'If nobody has half of the votes in the first round, the winner of the runoff counts.'],
    ['runoff', 'If nobody has half of the votes in the first round, the winner of the runoff counts.'],
    ['playoff', 'Should the playoff be cancelled, this resolves to No.'],
    ['sprint', 'The sprint does not count.'],
  ])('what later sentences say of a %s is not what is asked', (what, later) => {
    const [whole, part] = [
      'Will Ola Berg win the 2027 Lima Cup?',
      `Will Ola Berg win the ${what} of the 2027 Lima Cup?`,
    ]
    expect(asked(whole, part, `Resolves to Yes if Ola Berg wins the 2027 Lima Cup. ${later}`)).toBe('related')
  })

  test('the first sentence says it', () => {
    const titles = [
      'Will Trump pardon Ola Berg before 2028?',
      'Will Ola Berg receive a federal pardon before Jan 1, 2028?',
    ] as const
    const a = 'Resolves to Yes if Ola Berg receives a federal pardon by December 31, 2027.'
    const b = marketB('KXTEST-X-YZ', titles[1], {
      rules: 'Yes if Ola Berg is pardoned before Jan 1, 2028.',
      closeMs,
      eventTitle: 'Trump pardons',
    })
    expect(judge(marketA('1', titles[0], { rules: a, closeMs }), b).verdict).toBe('identity')
    expect(
      judge(marketA('1', titles[0], { rules: `Resolves to Yes if it happens. ${a}`, closeMs }), b).verdict,
    ).toBe('related')
  })

  test.each([
    [
      'of the president whom the other side names',
      'Will Trump pardon Ola Berg before 2028?',
      'presidential ',
      'identity',
    ],
    [
      'not where he suffers it',
      'Will Trump be pardoned by Ola Berg before 2028?',
      'presidential ',
      'different',
    ],
    ['nor of a governor', 'Will Ola Berg be pardoned before 2028?', 'presidential ', 'related'],
    ['nor of a king', 'Will Trump pardon Ola Berg before 2028?', 'royal ', 'different'],
  ])('a presidential pardon is that %s', (_what, titleB, whose, verdict) => {
    const a = marketA('1', `Will Ola Berg receive a ${whose}pardon by December 31, 2027?`, {
      rules: 'Resolves to Yes if Ola Berg receives a pardon from Donald Trump by December 31, 2027.',
      closeMs,
    })
    expect(judge(a, marketB('KXPARDON-28JAN01', titleB, { closeMs })).verdict).toBe(verdict)
  })

  test.each([
    ['KXTRUMPPARDON-28JAN01', 'identity'],
    ['KXPARDON-28JAN01', 'different'],
  ])('a presidential pardon in the series of one president is his: %s', (ticker, verdict) => {
    const a = marketA('1', 'Will Trump pardon Ola Berg by December 31, 2027?', { closeMs })
    const b = marketB(ticker, 'Will Ola Berg receive a presidential pardon before Jan 1, 2028?', { closeMs })
    expect(judge(a, b).verdict).toBe(verdict)
  })

  test.each([
    ['a name of one side', 'Ola Berg', 'identity'],
    ['not where both have a name of their own', 'Ola Berg of Sverige', 'different'],
  ])('rules answer for %s', (_what, who, verdict) => {
    const b = marketB('KXTEST-X-YZ', `Will ${who} visit Chile before Jul 1, 2027?`, {
      rules: 'Yes if Ola Berg of Norge visits Chile before Jul 1, 2027.',
      closeMs,
    })
    const a = marketA('1', 'Will Ola Berg of Norge visit Chile by June 30, 2027?', { closeMs })
    expect(judge(a, b).verdict).toBe(verdict)
  })
})

test('"constructor" is a word like any other', () => {
  const of = (title: string) => `Will the Foxes be the F1 ${title} in 2027?`
  const one = of('constructor champion')
  expect(judged(one, of('constructors champion')).verdict).toBe('identity')
  expect(judged(one, of('driver champion')).verdict).not.toBe('identity')
  for (const name of ['slug', 'category'] as const)
    expect(judged(one, one, { [name]: 'constructor-x' })).toEqual(judged(one, one, { [name]: 'builder-x' }))
  expect(judged(one, one, { tags: ['Constructor'] })).toEqual(judged(one, one, { tags: ['Builder'] }))
})
