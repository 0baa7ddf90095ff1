import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { REPOSITORY } from '../../../../support/process.ts'
import { statusOf } from '../recheck.ts'

/** A regular expression literal in our sources: after a sign that begins an expression, before one that ends it. */
const LITERAL =
  /(?<=[(=:,![?]\s*)\/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[.,;)\s\]])/g

const patterns = globSync('api/goods/utility/{text,sniff,pii,scan}/*.ts', { cwd: REPOSITORY }).flatMap(
  (file) => {
    const source = readFileSync(join(REPOSITORY, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\*|\/\*|\/\/)/.test(line))
      .join('\n')
    return [...source.matchAll(LITERAL)]
      .filter(([, body]) => !body!.startsWith(' ')) // a division
      .map(([, body, flags]) => ({ file, body: body!, flags: flags! }))
  },
)

describe('INP-02: every pattern of the text reads is linear by recheck', () => {
  test('the patterns are found', () => {
    expect(patterns.length).toBeGreaterThan(45)
  })

  test.each(patterns)('$file /$body/$flags', ({ body, flags }) => {
    expect(statusOf(body, flags)).toBe('safe')
  })
})
