import type { GapsBoard } from '../../engine/contract/gaps.ts'
import { byBand } from '../free/bands.ts'
import { WIRE_ROWS, wireRows } from '../free/venueWire.ts'
import type { LiveGap } from './liveBoard.ts'

/** The widest gaps as the free wire tells them, and which of them ask the opposite on venue B. */
export const liveGaps = ({ rows }: Pick<GapsBoard, 'rows'>): LiveGap[] =>
  byBand(
    rows
      .slice(0, WIRE_ROWS)
      .flatMap((row) =>
        wireRows({ rows: [row] }).map((told) => ({ ...told, opposite: row.verdict === 'inverted' })),
      ),
    ({ gapBand }) => gapBand,
  )
