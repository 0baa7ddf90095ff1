import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SENTENCES } from '../spec/sentences/index.ts'
import { REPOSITORY } from '../support/process.ts'
import { readSource } from './sources.ts'
import { hasTest, sentencesOf, skips } from './titles.ts'

const SPEC = join(REPOSITORY, '../shared/spec.md')
const SECTIONS = [...new Set(SENTENCES.map(({ section }) => section))].sort()

describe('every sentence of the specification has its tests', () => {
  test.skipIf(!existsSync(SPEC))('no section is left out', () => {
    const spec = readFileSync(SPEC, 'utf8')
    const sections = [...spec.matchAll(/^##+ (\d(?:\.\d)?)\.? /gm)].map(([, section]) => section!)
    expect(SECTIONS).toEqual(sections.filter((section) => sentencesOf(spec, section).length > 0).sort())
  })

  test.skipIf(!existsSync(SPEC)).each(SECTIONS)(
    '%s: each sentence once (skipped where ../shared/spec.md is not there)',
    (section) => {
      const said = sentencesOf(readFileSync(SPEC, 'utf8'), section).map((_, index) => index + 1)
      expect(said.length).toBeGreaterThan(0)
      expect(SENTENCES.filter((one) => one.section === section).map(({ at }) => at)).toEqual(said)
    },
  )

  test('one without a test says why', () => {
    const silent = SENTENCES.filter(({ tests, aside }) => tests.length === 0 && aside === undefined)
    expect(silent.map(({ section, at }) => `${section} ${at}`)).toEqual([])
  })

  test('the tests it names are there, by these titles', () => {
    const missing = SENTENCES.flatMap(({ section, at, tests }) =>
      tests
        .filter(([file, title]) => !hasTest(readSource(`test/${file}`), title))
        .map(([file, title]) => `${section}, sentence ${at}: test/${file} has no test “${title}”`),
    )
    expect(missing).toEqual([])
  })

  test('and none of their files skips a test, or runs one alone', () => {
    const files = new Set(SENTENCES.flatMap(({ tests }) => tests.map(([file]) => file)))
    expect([...files].filter((file) => skips(readSource(`test/${file}`)))).toEqual([])
  })
})

describe('the reader of titles', () => {
  const source = `
describe('first', () => {
  test('one', () => {})
  test.each([['(']])("it's %s", () => {})
})
describe('second', () => {
  test.skipIf(no)('two', () => {})
  const text = 'three'
})`
  test.each([
    ['one', true],
    ["it's %s", true],
    ['two', true],
    ['first › one', true],
    ['second › one', false],
    ['second › two', true],
    ['third › two', false],
    ['first', false], //  a describe is no test
    ['three', false], //  nor is a string
    ['on', false],
  ])('%s: %s', (title, found) => expect(hasTest(source, title)).toBe(found))

  test.each([
    ['test.skip(', true],
    ['describe.only(', true],
    ['it.todo(', true],
    ['test.skipIf(noBrowser)(', false],
  ])('%s skips: %s', (call, skipped) => expect(skips(`${call}'a test', () => {})`)).toBe(skipped))
})
