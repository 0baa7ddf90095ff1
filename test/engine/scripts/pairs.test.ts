import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measure } from '../../../engine/scripts/measure.ts'
import { runMain } from '../../support/process.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'microdata-pairs-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const CUT = 'Will the Fed cut rates in January 2027?'
const row = (id: string, titleB: string, label?: string) => ({
  pair_id: id,
  ...(label === undefined ? {} : { label }),
  a: { title: CUT, end_date: '2027-01-31T00:00:00Z' },
  b: { title: titleB, ticker: `KXFED-${id}`, close_time: '2027-01-31T00:00:00Z' },
})
const SAME = row('same', CUT, 'same')
const OTHER = row('other', 'Will the Fed hike rates in January 2027?', 'not')

function write(name: string, lines: readonly string[]): string {
  const file = join(dir, name)
  const text = `${lines.join('\n')}\n`
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text)
  return file
}

async function pairs(...args: string[]) {
  const running = runMain('engine/scripts/pairs.ts', { args })
  return { ...(await running.exited), out: running.stdout(), err: running.stderr() }
}

const lines = (text: string): { pair_id: string; verdict: string }[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('design 3: npm run pairs judges each row by itself', () => {
  const unlabelled = [SAME, OTHER].map(({ pair_id, a, b }) => ({ pair_id, a, b }))

  test.each(['rows.jsonl', 'rows.jsonl.gz'])(
    '%s: --json prints a verdict a row, in their order',
    async (name) => {
      const file = write(
        name,
        [SAME, OTHER].map((one) => JSON.stringify(one)),
      )
      const { code, out, err } = await pairs(file, '--json')
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(lines(out)).toEqual([
        { pair_id: 'same', verdict: 'identity', reasons: expect.arrayContaining(['same_words']) },
        { pair_id: 'other', verdict: 'related', reasons: [expect.any(String)] },
      ])
    },
  )

  test('rows without a label get the same verdicts', async () => {
    const [withLabels, without] = [
      write(
        'with.jsonl',
        [SAME, OTHER].map((one) => JSON.stringify(one)),
      ),
      write('without.jsonl', [...unlabelled.map((one) => JSON.stringify(one)), '']),
    ]
    const [known, unknown] = await Promise.all([pairs(withLabels, '--json'), pairs(without, '--json')])
    expect(unknown).toEqual(known)
  })

  test('the table scores what is labelled, and says how much is not', async () => {
    const file = write(
      'some.jsonl',
      [SAME, { ...SAME, label: null }, unlabelled[1]].map((one) => JSON.stringify(one)),
    )
    const { code, out } = await pairs(file)
    expect(code).toBe(0)
    expect(out).toContain('precision 100.0 % (1 of 1 sold)   recall 100.0 % (1 of 1)')
    expect(out).toContain('without a label: 2, not scored')
    expect(out).toContain('the worst mistakes\n  none')
  })

  test('no figure is stated of nothing', async () => {
    const { out } = await pairs(
      write(
        'none.jsonl',
        unlabelled.map((one) => JSON.stringify(one)),
      ),
    )
    expect(out).toContain('precision – (0 of 0 sold)   recall – (0 of 0)')
  })

  test('a precision is measured on labels only', async () => {
    const file = write(
      'some.jsonl',
      [SAME, unlabelled[1]].map((one) => JSON.stringify(one)),
    )
    await expect(measure([file], 0)).rejects.toThrow('some has rows without a label')
  })
})

describe('a row that is none is named, with what is wrong', () => {
  test.each([
    ['not JSON', 'the second', 'line 3: no JSON'],
    ['another label', JSON.stringify({ ...SAME, label: 'equal' }), 'line 3: label: Invalid option'],
    ['a side without a title', JSON.stringify({ ...SAME, b: {} }), 'line 3: b.title: Invalid input'],
    ['no object', '7', 'line 3: Invalid input'],
  ])('%s', async (_, bad, words) => {
    const file = write('bad.jsonl', [JSON.stringify(SAME), '', bad])
    const { code, out, err } = await pairs(file, '--json')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`${file} is no file of pairs`)
    expect(err).toContain(words)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})
