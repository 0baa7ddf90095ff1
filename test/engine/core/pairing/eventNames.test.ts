import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2027-11-03T15:00:00Z')
const verdictOf = (title: string, eventA: string, eventB: string, titleB = title) =>
  judge(
    marketA('1', title, { eventTitle: eventA, closeMs }),
    marketB('KXTEST-27-X', titleB, { eventTitle: eventB, closeMs }),
  ).verdict

describe('VEN-10 the same words under events that name different things', () => {
  test.each([
    ['Will Labor win the most seats in 2027?', 'Victoria state election', 'Western Australia election'],
    ['Will Ola Berg win Best Actor in 2027?', '99th Academy Awards: Best Actor', 'BAFTA Awards: Best Actor'],
    ['Will Brazil win in 2027?', 'Copa America', 'Beach Soccer World Cup'],
    //  a place that one of them names and the other never mentions
    ['Will the Democrats win the Senate in 2027?', '', 'New York Senate control'],
    ['Will the Republicans win the House in 2027?', '', 'Pennsylvania House control'],
    ['Will inflation be above 3.0% in September 2027?', '', 'UK inflation in September'],
  ])('%s %s | %s', (title, eventA, eventB) => {
    expect(verdictOf(title, eventA, eventA)).toBe('identity')
    expect(verdictOf(title, eventA, eventB)).toBe('different')
    expect(verdictOf(title, eventB, eventA)).toBe('different')
  })

  test.each([
    [
      'Will Ola Berg win the 2027 Texas Senate election?',
      'Texas Senate Election Winner',
      'Texas Senate winner?',
    ],
    ['Will Sweden win Eurovision 2027?', 'Eurovision Song Contest Winner 2027', 'Eurovision Winner 2027'],
    [
      'Will Ola Berg visit India in 2027?',
      'Where will Berg travel in 2027?',
      'Which countries will Berg visit?',
    ],
    ['Will Ola Berg be the Republican nominee for OH-01?', '', "Ohio's 1st Congressional District primary"],
    ['Will Ola Berg be the Republican nominee for OH-01?', '', 'Ohio primaries'],
  ])('events in other words: %s', (title, eventA, eventB) => {
    expect(verdictOf(title, eventA, eventB)).toBe('identity')
    expect(verdictOf(title, eventB, eventA)).toBe('identity')
  })
})

describe('VEN-10 what "and" or "or" adds must be asked on both venues, not stand in an event only', () => {
  test.each([
    ['Will Ola Berg visit Chile and Peru in 2027?', 'Will Ola Berg visit Chile in 2027?', 'Chile or Peru'],
    ['Will Ola Berg visit Peru and Chile in 2027?', 'Will Ola Berg visit Chile in 2027?', 'Chile or Peru'],
    [
      'Will Ola Berg or Leo Kirk visit Chile in 2027?',
      'Will Ola Berg visit Chile in 2027?',
      'Berg, Leo Kirk',
    ],
    [
      'Will "Larks" win Best Picture and Best Director at the 2027 Oscars?',
      'Will "Larks" win Best Picture at the 2027 Oscars?',
      'Best Picture and Best Director',
    ],
    [
      'Will Foxes release GPT-6 and Sora 3 by June 30, 2027?',
      'Will Foxes release GPT-6 by June 30, 2027?',
      'GPT-6, Sora 3',
    ],
  ])('%s', (both, one, event) => {
    expect(verdictOf(both, '', event)).toBe('identity')
    expect(verdictOf(both, '', event, one)).toBe('related')
    expect(verdictOf(one, event, '', both)).toBe('related')
  })
})

test('rules that say "or otherwise" make no question narrower', () => {
  const ruled = (rules: string) =>
    judge(
      marketA('1', 'Will Ola Berg sign a federal seal bill in 2027?', {
        rules: 'Yes if it happens in 2027.',
      }),
      marketB('KXTEST-27-X', 'Will Ola Berg sign a seal bill in 2027?', { rules }),
    ).verdict
  expect(ruled('If Ola Berg signs a federal seal bill in 2027, then the market resolves to Yes.')).toBe(
    'identity',
  )
  expect(
    ruled('If Ola Berg signs any seal bill, federal or otherwise, in 2027, then the market resolves to Yes.'),
  ).toBe('related')
})

describe('VEN-10 a name that only the ticker gives must be all that venue A adds', () => {
  const winner = (title: string, code: string) =>
    judge(
      marketA('1', title),
      marketB(`KXPRESPERSON-32-${code}`, ':: Democratic', {
        eventTitle: '2032 U.S. Presidential Election winner?',
      }),
    ).verdict

  test.each([
    ['Will Ola Berg win the 2032 US Presidential Election?', 'OBERG'],
    ['Will Ola Berg-Kirk win the 2032 US Presidential Election?', 'OBERG'],
    ['Will Ola de la Berg win the 2032 US Presidential Election?', 'OBERG'],
  ])('%s', (title, code) => {
    expect(winner(title, code)).toBe('identity')
  })

  test.each([
    'Will Ola Berg win the popular vote in the 2032 US Presidential Election?',
    'Will Ola Berg win a majority in the 2032 US Presidential Election?',
    'Will Ola Berg win Georgia in the 2032 US Presidential Election?',
    'Will Ola Berg win the 2032 US Presidential primary Election?',
    'Will Ola Berg and Leo Kirk win the 2032 US Presidential Election?',
  ])('%s', (title) => {
    expect(winner(title, 'OBERG')).not.toBe('identity')
  })
})

describe('VEN-10 two chambers in one question', () => {
  const asked = 'Will House Control be Democratic AND Senate Control be Republican for Feb 2031?'
  const split = (title: string, eventTitle = '2030 Midterms: Congress Balance of Power?') =>
    judge(
      marketA('1', '2030 Balance of Power: R Senate, D House'),
      marketB('KXBOP-31FEB-RD', title, { eventTitle }),
    ).verdict

  test('by how much, and of which state', () => {
    expect(split(asked)).toBe('identity')
    expect(split(asked.replace('Democratic', 'Democratic by 20+'))).toBe('related')
    expect(split(asked.replace('Republican', 'Republican with at least 52'))).not.toBe('identity')
    expect(split(asked, 'Texas Legislature Balance of Power?')).toBe('different')
    expect(split(asked.replace('Control be D', 'Control not be D'))).not.toBe('identity')
  })
})

describe('design 3: titles of motor racing and of tennis', () => {
  const verdict = (titleA: string, titleB: string, outcome: string) =>
    judge(
      marketA('1', titleA, { closeMs: Date.parse('2027-12-06T15:00:00Z') }),
      marketB('KXTEST-27-X', titleB, { outcome, closeMs: Date.parse('2027-12-31T15:00:00Z') }),
    ).verdict

  test.each([
    [
      "Will Ola Berg be the 2027 F1 Drivers' Champion?",
      'Will Ola Berg win the F1 Drivers Championship?',
      'identity',
    ],
    [
      "Will Ola Berg be the 2027 F2 Drivers' Champion?",
      'Will Ola Berg win the F1 Drivers Championship?',
      'different',
    ],
    [
      "Will Larks be the 2027 F1 Constructors' Champion?",
      'Will Larks win the F1 Drivers Championship?',
      'different',
    ],
    [
      "Will Ola Berg win the 2027 Men's Linz Open?",
      "Will Ola Berg win the 2027 Linz Open Men's Singles?",
      'identity',
    ],
    [
      "Will Ola Berg win the 2027 Men's Linz Open?",
      "Will Ola Berg win the 2027 Linz Open Men's Doubles?",
      'different',
    ],
  ])('%s | %s', (titleA, titleB, expected) => {
    expect(verdict(titleA, titleB, titleB.slice(5, titleB.indexOf(' win')))).toBe(expected)
  })
})
