import type { StreamGap } from './drainStream.ts'
import { instant } from './instant.ts'

/** A gap in what a stream is drained into, as a row of table `stream_gaps` (001_archive.sql). */
export const streamGapRows = ({ stream, afterId, beforeId, dropped }: StreamGap) => ({
  table: 'stream_gaps',
  rows: [{ stream, after_id: afterId, before_id: beforeId, dropped, noticed_at: instant(Date.now()) }],
})
