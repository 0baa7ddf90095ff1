import { describe, expect, test } from 'vitest'
import { judged } from '../../support/judged.ts'

const asked = (who: string) => `Will ${who} win the 2027 Oslo Cup?`

describe('design 3: a given name in short, and a name from another alphabet, is written in several ways', () => {
  test.each([
    ['Sergey Berg', 'Sergei Berg'],
    ['Aleksandr Berg', 'Alexander Berg'],
    ['Dmitriy Berg', 'Dmitry Berg'],
    ['Mohamed Berg', 'Mohammed Berg'],
    ['Ola Fayzullayev', 'Ola Fayzullaev'],
    ['Ola Guliyeva', 'Ola Gulieva'],
    ['Vassil Berg', 'Vasil Berg'],
    ['Henry Berg', 'Hank Berg'],
    ['Gabriel Berg', 'Gabe Berg'],
    ['Catherine Berg', 'Kathryn Berg'],
    ['Jonathan Berg', 'Johnathan Berg'],
  ])('%s is %s', (x, y) => {
    expect(judged(asked(x), asked(y))).toBe('identity')
    expect(judged(asked(y), asked(x))).toBe('identity')
  })

  test.each([
    ['Sergey Berg', 'Andrey Berg'],
    ['Ola Fayzullayev', 'Ola Fayzullin'],
    ['Hilary Berg', 'Hillary Berg'], //  two people who are told apart by a letter
    ['Ola Berg', 'Ola Bergh'],
  ])('%s is not %s', (x, y) => {
    expect(judged(asked(x), asked(y))).toBe('different')
  })
})
