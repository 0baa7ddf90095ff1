import type { Word } from '../text/words.ts'
import type { Hit } from './phrases.ts'

const WEIGHT = 0.5
const MIN_TIMES = 8
const MIN_LETTERS = 2

/** One word over and over, as used to push a model off its track. Numbers repeat in tables and do not count. */
export function repeatHits(words: readonly Word[]): Hit<'repeated_word'>[] {
  const hits: Hit<'repeated_word'>[] = []
  let run = { word: '', times: 0, start: 0, end: 0 }
  for (const { text: word, start, end } of words) {
    if (word === run.word) {
      run.times++
      run.end = end
    } else {
      close()
      run = { word, times: 1, start, end }
    }
  }
  close()
  return hits

  function close(): void {
    if (run.times >= MIN_TIMES && run.word.length >= MIN_LETTERS && !/^\p{N}/u.test(run.word))
      hits.push({ family: 'repeated_word', weight: WEIGHT, start: run.start, end: run.end })
  }
}
