import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../../api/errors.ts'
import { readSource, repositoryFiles } from './sources.ts'

/** The sources that make refusals, without those that only list or describe them. */
const SOURCE = repositoryFiles()
  .filter((path) => /^api\/.*\.(ts|lua)$/.test(path) && !/^api\/(problems|openapi|pages)\//.test(path))
  .map(readSource)
  .join('\n')

/** Codes are written whole, or as a prefix and what the ledger says: `pass_${refused}`. */
const isUsed = (code: string, source: string): boolean =>
  new RegExp(`['"\`]${code}['"\`]`).test(source) ||
  [...source.matchAll(/`([a-z]+_)\$\{\w+\}`/g)].some(([, prefix]) => code.startsWith(prefix!))

describe('the published table of problem codes is closed: each code is said somewhere', () => {
  test.each(Object.keys(PROBLEMS))('%s', (code) => {
    expect(isUsed(code, SOURCE)).toBe(true)
  })

  test.each([
    ['pass_expired', 'refuse(`pass_$'.concat('{refused}`)'), true],
    ['payment_void', "problem: 'payment_voided'", false],
    ['payment_void', "{ problem: 'payment_void' }", true],
  ])('%s in %j: %s', (code, source, used) => expect(isUsed(code, source)).toBe(used))
})
