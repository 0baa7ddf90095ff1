import fc from 'fast-check'
import { expect, test } from 'vitest'
import { giveBack, LineSpace } from '../../../engine/stages/lineSpace.ts'

const all = (lines: readonly string[], most: number): string[] => {
  const [space, next, pieces] = [new LineSpace(), lines.map((line) => [line]).values(), [] as Buffer[]]
  for (let piece = space.bytesOf(next, most); piece.length > 0; piece = space.bytesOf(next, most))
    pieces.push(piece)
  return pieces.map(String)
}

test('so many lines at a time, and nothing when there are none left', () => {
  expect(all(['a\n', 'b\n', 'c\n'], 2)).toEqual(['a\nb\n', 'c\n'])
  expect(all(['a\n', 'b\n'], 2)).toEqual(['a\nb\n'])
  expect(all([], 2)).toEqual([])
})

test('lines longer than the space, in any script, among others', () => {
  const lines = ['short\n', '€'.repeat(400_000), `${'é😀'.repeat(300_000)}\n`, 'short again\n']
  expect(all(lines, 9)).toEqual([lines.join('')])
})

test('what was written before it was begun anew is forgotten', () => {
  const space = new LineSpace()
  space.write('half of a text that came to noth')
  expect(`${space.bytesOf([['a\n']].values(), 1)}`).toBe('a\n')
  space.begin()
  for (const part of ['b', 'c']) space.write(part)
  expect(`${space.take()}`).toBe('bc')
})

test('memory that is given back is gone at once, and nobody else had it', () => {
  const [space, lines] = [new LineSpace(), [['a\n'], ['b\n']].values()]
  const other = Buffer.from('small ones of everybody lie in one pool')
  const [first, second] = [space.bytesOf(lines, 1), space.bytesOf(lines, 1)]
  giveBack(first)
  expect([first.length, `${second}`, `${other}`]).toEqual([
    0,
    'b\n',
    'small ones of everybody lie in one pool',
  ])
})

test('the UTF-8 of the text they make', () => {
  const line = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(fc.array(fc.array(line), { minLength: 1 }), (lines) => {
      const bytes = new LineSpace().bytesOf(lines.values(), lines.length)
      expect(bytes).toEqual(Buffer.concat(lines.flat().map((each) => Buffer.from(each))))
    }),
  )
})
