import type { z } from 'zod'
import type { MoverRow, MoversBoard } from '../../engine/contract/movers.ts'
import { bandOf, byBand, GAP_BAND_CENTS } from '../free/bands.ts'
import { firstOf, type HeldBody } from '../placedRows.ts'
import { LiveMover, SHOWN_WINDOWS } from './liveBoard.ts'
import { ClosesMs } from './stillOpen.ts'

export const MOVERS_PER_WINDOW = 8

/** A mover as it is sampled: what is shown of it, and until when. */
export const SampledMover = LiveMover.extend(ClosesMs.shape)
export type SampledMover = z.infer<typeof SampledMover>

/** The largest swings of each window shown, in bands; a market that did not move is left out. */
export const sampledMovers = (board: HeldBody<MoversBoard>): SampledMover[] =>
  SHOWN_WINDOWS.flatMap((window) =>
    byBand(
      firstOf(board[window], MOVERS_PER_WINDOW, ({ changeCents }) => changeCents !== 0).map((row) => ({
        ...liveMover(window, row),
        closesMs: row.closeMs,
      })),
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
