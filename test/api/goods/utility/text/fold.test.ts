import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fold } from '../../../../../api/goods/utility/text/fold.ts'

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 200 })

describe('fold: text as a reader sees it', () => {
  test('ASCII is what is seen already, and reads the same beside a letter that is folded', () => {
    fc.assert(
      fc.property(ascii, fc.nat(), fc.nat(), (text, one, other) => {
        const [alone, beside] = [fold(text), fold(`${text}é`)]
        expect(alone.text).toBe(text)
        expect(beside.text).toBe(`${text}e`)
        for (const { hidden, tagRuns, breaks } of [alone, beside])
          expect({ hidden, tagRuns, breaks }).toEqual({
            hidden: { zeroWidth: 0, bidi: 0, tags: 0 },
            tagRuns: [],
            breaks: [],
          })
        if (text === '') return
        const start = one % text.length
        const end = start + 1 + (other % (text.length - start))
        expect(alone.spanOf(start, end)).toEqual({ start, end })
        expect(beside.spanOf(start, end)).toEqual({ start, end })
      }),
    )
  })

  test('one invisible sign between two ASCII letters is counted, and its place is kept', () => {
    const { text, hidden, breaks, spanOf } = fold('ig\u200bnore')
    expect({ text, hidden, breaks, span: spanOf(0, 6) }).toEqual({
      text: 'ignore',
      hidden: { zeroWidth: 1, bidi: 0, tags: 0 },
      breaks: [2],
      span: { start: 0, end: 7 },
    })
  })
})
