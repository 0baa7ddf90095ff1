import { z } from 'zod'
import type { ScoreRow } from '../scoreRow.ts'
import { readCorpus, share } from '../text/corpus.ts'
import type { Span } from '../text/fold.ts'
import { type Located, locatePii } from './countPii.ts'
import { KINDS, type KindName } from './kinds.ts'

const Synthetic = z.object({
  text: z.string(),
  spans: z.array(z.object({ type: z.string(), start: z.int(), end: z.int() })),
})
const Snapshot = z.object({
  ruleName: z.string(),
  text: z.string(),
  expect: z.enum(['hit', 'miss']),
  configDependent: z.boolean().optional(),
  disputable: z.boolean().optional(),
})

/** Our kinds by the corpus' names. */
const TYPES: readonly { type: string; kinds: readonly KindName[] }[] = [
  { type: 'EMAIL_ADDRESS', kinds: ['email'] },
  { type: 'CREDIT_CARD', kinds: ['card'] },
  { type: 'IBAN_CODE', kinds: ['iban'] },
  { type: 'US_SSN', kinds: ['ssn'] },
  { type: 'IP_ADDRESS', kinds: ['ipv4', 'ipv6'] },
  { type: 'PHONE_NUMBER', kinds: ['phoneLike'] },
]
const SECRET_WEIGHT = 0.5
const isKeyShape = ({ kind }: Located): boolean =>
  KINDS[kind].weight >= SECRET_WEIGHT && !['card', 'iban', 'ssn'].includes(kind)

/** Recall and precision by kind on generated texts; share of key fixtures seen and of look-alikes left alone. */
export async function scorePii(corpora: string): Promise<ScoreRow[]> {
  return [...synthetic(corpora), ...snapshots(corpora)]
}

function synthetic(corpora: string): ScoreRow[] {
  const rows = readCorpus(corpora, 'pii/presidio-synth.jsonl', Synthetic)
  if (rows === null) return []
  const read = rows.map(({ text, spans }) => ({ spans, located: locatePii(text) }))
  return TYPES.flatMap(({ type, kinds }) => {
    const set = `presidio-research ${type}`
    const pairs = read.map(({ spans, located }) => ({
      truth: spans.filter((span) => span.type === type),
      ours: located.filter(({ kind }) => kinds.includes(kind)).map(({ span }) => span),
    }))
    const truth = pairs.flatMap(({ truth, ours }) =>
      truth.map((span) => ours.some((other) => overlap(span, other))),
    )
    const ours = pairs.flatMap(({ truth, ours }) =>
      ours.map((span) => truth.some((other) => overlap(span, other))),
    )
    return [
      share('pii', set, 'recall', truth.filter(Boolean).length, truth.length),
      share('pii', set, 'precision', ours.filter(Boolean).length, ours.length),
    ]
  })
}

function snapshots(corpora: string): ScoreRow[] {
  const rows = readCorpus(corpora, 'pii/secretlint-snapshots.jsonl.gz', Snapshot)
  if (rows === null) return []
  const usable = rows.filter(
    ({ configDependent, disputable }) => configDependent !== true && disputable !== true,
  )
  const keys = usable.filter(({ expect }) => expect === 'hit')
  const none = usable.filter(({ expect }) => expect === 'miss')
  const seen = (text: string): boolean => locatePii(text).some(isKeyShape)
  return [
    share(
      'pii',
      'secretlint fixtures, keys',
      'recall',
      keys.filter(({ text }) => seen(text)).length,
      keys.length,
    ),
    share(
      'pii',
      'secretlint fixtures, no keys',
      'falseAlarms',
      none.filter(({ text }) => seen(text)).length,
      none.length,
    ),
  ]
}

const overlap = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end
