import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileGrammar, findPhrases } from '../../../../../api/goods/utility/sniff/grammar.ts'
import { type Word, wordsOf } from '../../../../../api/goods/utility/text/words.ts'

const LEXICON = {
  DROP: 'ignore forget',
  OLD: 'previous old',
  NOT: 'not',
}

function found(phrase: string, text: string): string[] {
  const grammar = compileGrammar([phrase], LEXICON)
  const reading = (word: Word) => ({ word: word.text, marks: { name: word.capital, address: false } })
  return findPhrases(grammar, wordsOf(text), reading).map(({ first, last }) =>
    text.slice(first.start, last.end),
  )
}

describe('the notation of phrases', () => {
  test.each([
    ['DROP OLD', 'ignore previous', ['ignore previous']],
    ['DROP OLD', 'ignore all previous', []], //                 no gap unless one is written
    ['DROP ~1 OLD', 'ignore all previous', ['ignore all previous']],
    ['DROP ~1 OLD', 'ignore all my previous', []],
    ['DROP ~2 OLD', 'ignore previous', ['ignore previous']], //  a gap may be empty
    ['DROP ~9 OLD', 'ignore it. Previous', []], //               a sentence ends a phrase
    ['DROP ~9 OLD', 'ignore it, previous', ['ignore it, previous']],
    ['DROP my? OLD', 'forget my old', ['forget my old']],
    ['DROP my? OLD', 'forget old', ['forget old']],
    ['DROP my|your OLD', 'forget your old', ['forget your old']],
    ['DROP DROP', 'forget', []], //                              one word is one step
    ['!NOT DROP OLD', 'do not forget old', []],
    ['!NOT DROP OLD', 'not that; forget old', ['forget old']],
    ['DROP OLD !tires', 'forget old tires', []],
    ['DROP OLD !tires', 'forget old rules and tires', ['forget old']],
    ['DROP OLD !tires', 'Forget old. Tires next', ['Forget old']],
    ['DROP ~2 !my OLD', 'forget all my old', []],
    ['DROP ~2 !my OLD', 'forget my very old', ['forget my very old']], // only directly before
    ['DROP ~2 !NOT OLD NAME', 'forget not old Rome', []],
    ['DROP ~2 !my OLD ~1 NAME', 'forget old my Rome', ['forget old my Rome']], // before this step, not the next
    ['DROP NAME', 'forget Rome', ['forget Rome']],
    ['DROP NAME', 'forget rome', []],
  ])('%s in "%s"', (phrase, text, spans) => {
    expect(found(phrase, text)).toEqual(spans)
  })

  test('a class that is not in the lexicon is a mistake of ours, told at once', () => {
    expect(() => compileGrammar(['NOWHERE'], LEXICON)).toThrow('NOWHERE')
  })
})

describe('one pass finds what trying every combination of words finds', () => {
  const step = fc.record({ word: fc.constantFrom('a', 'b', 'c'), gap: fc.integer({ min: 0, max: 3 }) })
  test('whether a phrase is there, and where it ends', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom('a', 'b', 'c', 'x'), { maxLength: 14 }),
        (steps, text) => {
          const phrase = steps.map(({ word, gap }, n) => (n === 0 ? word : `~${gap} ${word}`)).join(' ')
          const grammar = compileGrammar([phrase], {})
          const words = wordsOf(text.join(' '))
          const marks = { name: false, address: false }
          const ends = findPhrases(grammar, words, (word) => ({ word: word.text, marks })).map(
            ({ last }) => last.start,
          )
          const reach = (at: number, next: number): number[] => {
            const { word, gap } = steps[next] ?? {}
            if (word === undefined || gap === undefined) return [at]
            const from = next === 0 ? 0 : at + 1
            const to = next === 0 ? text.length - 1 : Math.min(text.length - 1, at + 1 + gap)
            const places = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
            return places.filter((place) => text[place] === word).flatMap((place) => reach(place, next + 1))
          }
          const expected = [...new Set(reach(-1, 0))]
            .sort((a, b) => a - b)
            .map((place) => words[place]!.start)
          expect(ends).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })
})
