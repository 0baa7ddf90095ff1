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

/** The corpus's name of each type, and our kinds that match it. */
const TYPES: readonly { type: string; kinds: readonly KindName[] }[] = [
  { type: 'EMAIL_ADDRESS', kinds: ['email'] },
  { type: 'CREDIT_CARD', kinds: ['card'] },
  { type: 'IBAN_CODE', kinds: ['iban'] },
  { type: 'US_SSN', kinds: ['ssn'] },
  { type: 'IP_ADDRESS', kinds: ['ipv4', 'ipv6'] },
  { type: 'PHONE_NUMBER', kinds: ['phoneLike'] },
]
const SECRET_WEIGHT = 0.5
/** Keys and credentials: kinds as heavy as these that are not personal data. */
const isKeyShape = ({ kind }: Located): boolean =>
  KINDS[kind].weight >= SECRET_WEIGHT && !['card', 'iban', 'ssn'].includes(kind)

/** Recall and precision by kind on generated texts; share of key fixtures seen and of look-alikes left alone. */
export function scorePii(corpora: string): ScoreRow[] {
  return [...generatedTexts(corpora), ...keyFixtures(corpora)]
}

function generatedTexts(corpora: string): ScoreRow[] {
  const rows = readCorpus(corpora, 'pii/presidio-synth.jsonl', Synthetic)
  if (rows === null) return []
  const read = rows.map(({ text, spans }) => ({ spans, located: locatePii(text) }))
  return TYPES.flatMap(({ type, kinds }) => {
    const set = `presidio-research ${type}`
    const texts = read.map(({ spans, located }) => ({
      labelled: spans.filter((span) => span.type === type),
      found: located.filter(({ kind }) => kinds.includes(kind)).map(({ span }) => span),
    }))
    const isFound = texts.flatMap(({ labelled, found }) => labelled.map((span) => overlapsAny(span, found)))
    const isLabelled = texts.flatMap(({ labelled, found }) =>
      found.map((span) => overlapsAny(span, labelled)),
    )
    return [
      share('pii', set, 'recall', isFound.filter(Boolean).length, isFound.length),
      share('pii', set, 'precision', isLabelled.filter(Boolean).length, isLabelled.length),
    ]
  })
}

function keyFixtures(corpora: string): ScoreRow[] {
  const rows = readCorpus(corpora, 'pii/secretlint-snapshots.jsonl.gz', Snapshot)
  if (rows === null) return []
  const usable = rows.filter(
    ({ configDependent, disputable }) => configDependent !== true && disputable !== true,
  )
  const seenOf = (expected: 'hit' | 'miss'): boolean[] =>
    usable.filter(({ expect }) => expect === expected).map(({ text }) => locatePii(text).some(isKeyShape))
  const keys = seenOf('hit')
  const lookAlikes = seenOf('miss')
  return [
    share('pii', 'secretlint fixtures, keys', 'recall', keys.filter(Boolean).length, keys.length),
    share(
      'pii',
      'secretlint fixtures, no keys',
      'falseAlarms',
      lookAlikes.filter(Boolean).length,
      lookAlikes.length,
    ),
  ]
}

const overlapsAny = (span: Span, others: readonly Span[]): boolean =>
  others.some((other) => span.start < other.end && other.start < span.end)
