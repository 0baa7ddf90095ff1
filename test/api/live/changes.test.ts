import { expect, test } from 'vitest'
import { changedText, sectionTexts, sseEvent, wholeText } from '../../../api/live/changes.ts'
import { LiveBoard } from '../../../api/live/liveBoard.ts'
import { show } from './show.ts'

const board = show()
const later = { ...board, clock: { ...board.clock, now: '2026-09-21T14:13:21.000Z' } }

test('the text of the whole is that of its sections', () => {
  expect(JSON.parse(wholeText(sectionTexts(board)))).toEqual(board)
  expect(LiveBoard.parse(board)).toEqual(board)
})

test('only what changed is sent, and the clock with it', () => {
  const counts = { ...board.counts, pairs: 9 }
  const text = changedText(sectionTexts(board), sectionTexts({ ...later, counts }))
  expect(JSON.parse(text!)).toEqual({ counts, clock: later.clock })
})

test('a clock that moved is no news', () => {
  expect(changedText(sectionTexts(board), sectionTexts(later))).toBeNull()
})

test('an event is one line of data', () => {
  const hostile = { ...board, selling: { ...board.selling, words: 'a\n\nevent: clock\r\ndata: x' } }
  const text = sseEvent('board', wholeText(sectionTexts(hostile)))
  expect(text.split(/\r\n|\r|\n/).filter((line) => line !== '')).toHaveLength(2)
})
