import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { REPOSITORY } from '../support/process.ts'
import { faultsIn, idsIn, NOT_TESTED_HERE } from './faults.ts'
import { readSource, repositoryFiles } from './sources.ts'

const LIST = join(REPOSITORY, '../shared/faults.md')

describe.skipIf(!existsSync(LIST))(
  'every fault of the list has its test (skipped where ../shared/faults.md is not there)',
  () => {
    const faults = existsSync(LIST) ? faultsIn(readFileSync(LIST, 'utf8')) : []
    const tests = repositoryFiles().filter((path) => /^test\/.*\.test\.ts$/.test(path))
    const named = new Set(tests.flatMap((path) => idsIn(readSource(path))))

    test('the list is read as a whole: as many as it says there are', () => {
      const [, all, worst] = /^Total: (\d+) cases, (\d+) of them P0/m.exec(readFileSync(LIST, 'utf8'))!
      expect([faults.length, faults.filter(({ priority }) => priority === 'P0').length].map(String)).toEqual([
        all,
        worst,
      ])
    })

    test('each is named by a test, or there is a reason why it cannot be tested here', () => {
      const silent = faults.filter(({ id }) => !named.has(id) && !(id in NOT_TESTED_HERE))
      expect(silent.map(({ id, priority }) => `${priority} ${id}`)).toEqual([])
    })

    test('a reason is given for no other', () => {
      const ids = new Set(faults.map(({ id }) => id))
      expect(Object.keys(NOT_TESTED_HERE).filter((id) => named.has(id) || !ids.has(id))).toEqual([])
    })
  },
)

describe('the readers of ids', () => {
  test('a fault is a row of a table', () => {
    const text =
      '| Id | P | Case |\n|---|---|---|\n| ABC-01 | P0 | as DEF-02 |\n| **GH-03** | P2 | x |\nIJ-04 P0'
    expect(faultsIn(text)).toEqual([
      { id: 'ABC-01', priority: 'P0' },
      { id: 'GH-03', priority: 'P2' },
    ])
  })

  test.each([
    ["test('ABC-01, DEF-02 said', () => {})", ['ABC-01', 'DEF-02']],
    ["['GH-03 a case', 1], //  IJ-04", ['GH-03']],
    ['/** KL-05\n * KL-06 */', []],
    ["const url = 'http://127.0.0.1/MN-07'", ['MN-07']],
  ])('%j names %j', (source, ids) => expect(idsIn(source)).toEqual(ids))
})
