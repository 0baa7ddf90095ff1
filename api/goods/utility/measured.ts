import { z } from 'zod'
import record from './measured.json' with { type: 'json' }
import { ScoreRow } from './scoreRow.ts'

/** What `npm run tools:score -- --record` last measured; a test holds it against the code. */
export const MEASURED: readonly ScoreRow[] = z.array(ScoreRow).parse(record)

/** Rates that go with an answer of the tool: those of whole sets; rates of parts of a set are in the record. */
export const measuredOf = (tool: string): readonly ScoreRow[] =>
  MEASURED.filter((row) => row.tool === tool && !row.set.includes(': '))
