import type { MoverRow, MoversBoard } from '../../engine/contract/movers.ts'
import { bandOf, byBand, GAP_BAND_CENTS } from '../free/bands.ts'
import { type LiveMover, SHOWN_WINDOWS } from './liveBoard.ts'

export const MOVERS_PER_WINDOW = 8

/** The largest swings of each window shown, in bands; a market that stands still is none. */
export const liveMovers = (board: MoversBoard): LiveMover[] =>
  SHOWN_WINDOWS.flatMap((window) =>
    byBand(
      board[window]
        .filter(({ changeCents }) => changeCents !== 0)
        .slice(0, MOVERS_PER_WINDOW)
        .map((row) => liveMover(window, row)),
      ({ band }) => band,
    ),
  )

const liveMover = (window: LiveMover['window'], { venue, topic, changeCents }: MoverRow): LiveMover => ({
  window,
  venue,
  topic,
  direction: changeCents > 0 ? 'up' : 'down',
  band: bandOf(Math.abs(changeCents), GAP_BAND_CENTS),
})
