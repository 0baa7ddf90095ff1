import type { Clock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import { etagOf } from '../http/etag.ts'
import { changedText, type SectionTexts, sectionTexts, sseEvent, wholeText } from './changes.ts'
import type { LiveBoard } from './liveBoard.ts'
import { createReaders, type Readers } from './readers.ts'

/** Shows that the connection lives: a browser does not notice by itself when it is gone. */
const HEARTBEAT_MS = 5 * SECOND

/** What is held between two looks: one computation per look, however many ask. */
export type Held = { board: LiveBoard; json: string; etag: string }

export type HeldBoard = {
  now(): Held
  /** Takes the current board: it is held from here on, and every reader is sent what changed in it. */
  look(): void
  readers: Readers
}

/** @param steady nobody sets it: a clock set back would leave readers without a heartbeat until it has caught up. */
export function holdBoard(steady: Clock, show: () => LiveBoard): HeldBoard {
  let now = textsOf(show())
  let heardMs = steady.nowMs()
  const readers = createReaders({ clock: steady, whole: () => sseEvent('board', now.held.json) })
  return {
    now: () => now.held,
    readers,
    look() {
      const before = now
      now = textsOf(show())
      const changed = changedText(before.texts, now.texts)
      const nowMs = steady.nowMs()
      if (changed === null && nowMs - heardMs < HEARTBEAT_MS) return
      heardMs = nowMs
      readers.send(changed === null ? sseEvent('clock', now.texts.clock) : sseEvent('change', changed))
    },
  }
}

function textsOf(board: LiveBoard): { texts: SectionTexts; held: Held } {
  const texts = sectionTexts(board)
  const json = wholeText(texts)
  return { texts, held: { board, json, etag: etagOf(json) } }
}
