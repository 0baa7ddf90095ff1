import { z } from 'zod'
import type { ScoreRow } from '../scoreRow.ts'
import { readCorpus, share } from '../text/corpus.ts'
import { sniffText } from './sniffText.ts'

const Labelled = z.object({
  text: z.string(),
  label: z.enum(['attack', 'benign']),
  source: z.string(),
  index: z.int(),
  variant: z.string().optional(),
  contextual: z.boolean().optional(),
})
type Labelled = z.infer<typeof Labelled>

/**
 * Attacks that were not looked at while the phrases were written: their rate says how well the phrases generalise, that
 * of the others only how well they cover what they were written for.
 */
const HELD_OUT = { source: 'PurpleLlama/prompt_injection', from: 96, to: 196 }
const isHeldOut = ({ source, index }: Labelled): boolean =>
  source === HELD_OUT.source && index >= HELD_OUT.from && index <= HELD_OUT.to

/** Share flagged, by set and by variant of attack: `detection` of attacks, `falseAlarms` of harmless texts. */
export function scoreSniff(corpora: string): ScoreRow[] {
  const rows = readCorpus(corpora, 'sniff/sniff.jsonl', Labelled)
  if (rows === null) return []
  const flags = new Map(rows.map((row) => [row, sniffText(row.text).flagged]))
  const attacks = rows.filter(({ label, contextual }) => label === 'attack' && contextual !== true)
  const benign = rows.filter(({ label }) => label === 'benign')
  return [
    ...rates('detection', 'attacks', attacks),
    ...rates('detection', 'attacks not looked at while writing', attacks.filter(isHeldOut)),
    ...by(attacks, ({ variant }) => variant ?? 'other').flatMap(([variant, part]) =>
      rates('detection', `attacks: ${variant}`, part),
    ),
    ...rates(
      'detection',
      'requests harmful only where planted',
      rows.filter(({ contextual }) => contextual === true),
    ),
    ...rates('falseAlarms', 'harmless texts', benign),
    ...rates(
      'falseAlarms',
      'harmless with trigger words (NotInject)',
      benign.filter(({ source }) => source.includes('NotInject')),
    ),
    ...by(
      benign.filter(({ source }) => !source.includes('NotInject')),
      ({ source }) => source,
    ).flatMap(([source, part]) => rates('falseAlarms', `harmless: ${source}`, part)),
  ]

  function rates(metric: string, set: string, part: readonly Labelled[]): ScoreRow[] {
    return [share('sniff', set, metric, part.filter((row) => flags.get(row) === true).length, part.length)]
  }
}

const by = (rows: readonly Labelled[], key: (row: Labelled) => string): [string, Labelled[]][] =>
  [...Map.groupBy(rows, key)].sort(([a], [b]) => (a < b ? -1 : 1))
