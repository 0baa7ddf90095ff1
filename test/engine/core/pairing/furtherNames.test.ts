import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2027-06-03T15:00:00Z')
const verdict = (nameA: string, nameB: string, code: string) =>
  judge(
    marketA('1', `Will ${nameA} be the Democratic nominee for OR-04?`, { closeMs }),
    marketB(`KXOR4D-27-${code}`, `Will ${nameB} be the Democratic nominee for OR-04?`, {
      outcome: nameB,
      closeMs,
    }),
  ).verdict

describe('further names of one person', () => {
  test.each([
    ['a name between', 'Julio César Ortega', 'Julio Ortega', 'JORT'],
    ['a second surname', 'Ramón Sáenz Palomar', 'Ramón Sáenz', 'RSAE'],
    ['the ticker is made of the longer one', 'Ramón Sáenz Palomar', 'Ramón Sáenz', 'RPAL'],
    ['venue B says more', 'Jaden Schuler', 'Jaden Trey Schuler', 'JSCH'],
    ['another given name before', 'Kimi Orsini', 'Andrea Kimi Orsini', 'AORS'],
    ['two of them', 'Ana María Lucía Campos', 'Ana Campos', 'ACAM'],
  ])('%s: %s is %s', (_, a, b, code) => {
    expect(verdict(a, b, code)).toBe('identity')
  })

  test.each([
    ['a son', 'Jim Darrow Jr.', 'Jim Darrow', 'JDAR'],
    ['the third of his name', 'Kevin Lindon III', 'Kevin Lindon', 'KLIN'],
    ['a ticker that is not made of the names', 'Julio César Ortega', 'Julio Ortega', 'A12'],
    ['initials alone', 'North Harbor Union', 'North Harbor', 'NHU'],
    ['another given name', 'Julio Ortega', 'Mario Ortega', 'MORT'],
    ['a name of each', 'Julio César Ortega', 'Julio Luis Ortega', 'JORT'],
    ['the surname alone', 'Julio Ortega', 'Ortega', 'ORTE'],
    ['three names more', 'Ana María Lucía Inés Campos', 'Ana Campos', 'ACAM'],
    ['a surname of another, which the ticker is made of', 'John James', 'John James Rivers', 'JRIV'],
    ['a surname of two', 'Josh Allen', 'Josh Hines-Allen', 'JALL'],
    ['another order', 'Campos Ana María', 'Ana Campos', 'ACAM'],
  ])('%s: %s is not %s', (_, a, b, code) => {
    expect(verdict(a, b, code)).not.toBe('identity')
  })

  test('a player, whose ticker has the code of the team before and a number behind', () => {
    const title = (name: string) => `${name}: 2+ goals`
    const a = marketA('1', title('Julio César Ortega'), { slug: 'fifwc-ger-par-2027-06-29-goals' })
    const b = (name: string, code: string) =>
      marketB(`KXWCGOAL-27JUN29GERPAR-PAR${code}19-2`, title(name), { outcome: `${name}: 2+` })
    expect(judge(a, b('Julio Ortega', 'JORTE')).verdict).toBe('identity')
    expect(judge(a, b('Luis Ortega', 'LORTE')).verdict).not.toBe('identity')
  })

  test.each([
    ['South Carolina', 'South Carolina State', 'SCAR'],
    ['South Carolina', 'South Carolina Upstate', 'SCAR'],
    ['South Carolina', 'South Carolina Aiken', 'SCAR'],
    ['West Ham', 'West Ham Women', 'WHAM'],
  ])('%s is not %s', (a, b, code) => {
    const title = (team: string) => `Will ${team} win the 2027 College Cup?`
    expect(
      judge(
        marketA('1', title(a), { closeMs }),
        marketB(`KXCUP-27-${code}`, title(b), { outcome: b, closeMs }),
      ).verdict,
    ).not.toBe('identity')
  })
})
