import { type Folded, fold, type Span } from '../text/fold.ts'
import { type Word, wordsOf } from '../text/words.ts'
import { pigLatinLayers, reversedLayers, rotationLayers } from './ciphers.ts'
import {
  base64Layers,
  binaryLayers,
  type Encoding,
  escapeLayers,
  hexLayers,
  type Layer,
  morseLayers,
} from './encodings.ts'
import { imageHits } from './images.ts'
import { markerHits } from './markers.ts'
import { partedLayers } from './parted.ts'
import { type Hit, PHRASE_WORDS, phraseHits } from './phrases.ts'
import { repeatHits } from './repeats.ts'
import { type Finding, MAX_OFFSETS, type Sniff, THRESHOLD } from './result.ts'
import { splitHits } from './splits.ts'

/** How odd it is that readable text came encoded this way, before what it says is looked at. */
const ENCODED_WEIGHT: Readonly<Record<Encoding, number>> = {
  base64: 0.2,
  hex: 0.3,
  escapes: 0,
  binary: 0.5,
  morse: 0.5,
  rotation: 0.5,
  reversed: 0.5,
  pigLatin: 0.5,
  tags: 0.6,
  zeroWidth: 0, // what is invisible is counted by itself
}
const BIDI_WEIGHT = 0.3
const ZERO_WIDTH_WEIGHT = 0.1
const LOOKALIKE_WEIGHT = 0.35

type Seen = { family: string; via: 'plain' | Encoding; weight: number; span: Span }

/** Rates are not known here: they are measured with this very function. */
export type Sniffed = Omit<Sniff, 'measured'>

/**
 * Counts phrase families that planted instructions are made of, in the text and one decoding below it.
 * Pure and linear in the length of the text; any string is read.
 */
export function sniffText(original: string): Sniffed {
  const folded = fold(original)
  const words = wordsOf(folded.text)
  const plain = hitsIn(folded.text, words)
  const seen: Seen[] = plain.hits.map(({ family, weight, start, end }) => ({
    family,
    via: 'plain',
    weight,
    span: folded.spanOf(start, end),
  }))
  for (const { via, text, span } of layersOf(folded, words)) {
    if (ENCODED_WEIGHT[via] > 0) seen.push({ family: 'encoded_text', via, weight: ENCODED_WEIGHT[via], span })
    const { text: decoded } = fold(text)
    for (const { family, weight } of hitsIn(decoded, wordsOf(decoded)).hits)
      seen.push({ family, via, weight, span })
  }
  const hidden = { ...folded.hidden, lookalikes: plain.lookalikes }
  const everywhere = { start: 0, end: original.length }
  const traces: [string, number, number][] = [
    ['bidi_control', hidden.bidi, BIDI_WEIGHT],
    ['zero_width', hidden.zeroWidth, ZERO_WIDTH_WEIGHT],
    ['lookalike_letters', hidden.lookalikes, LOOKALIKE_WEIGHT],
  ]
  for (const [family, count, weight] of traces)
    if (count > 0) seen.push({ family, via: 'plain', weight, span: everywhere })
  const findings = grouped(seen)
  const score = scoreOf(findings)
  return { score, threshold: THRESHOLD, flagged: score >= THRESHOLD, findings, hidden, safetyVerdict: false }
}

function hitsIn(text: string, words: readonly Word[]): { hits: Hit[]; lookalikes: number } {
  const { hits, lookalikes } = phraseHits(text, words)
  return {
    hits: [...hits, ...markerHits(text), ...imageHits(text), ...repeatHits(words), ...splitHits(text)],
    lookalikes,
  }
}

function layersOf(folded: Folded, words: readonly Word[]): { via: Encoding; text: string; span: Span }[] {
  const { text } = folded
  const layers: Layer[] = [
    ...base64Layers(text),
    ...hexLayers(text),
    ...escapeLayers(text),
    ...binaryLayers(text),
    ...morseLayers(text),
    ...rotationLayers(text, words),
    ...reversedLayers(text, words),
    ...pigLatinLayers(words, PHRASE_WORDS.has),
    ...partedLayers(folded, PHRASE_WORDS),
  ]
  return [
    ...layers.map(({ via, text, start, end }) => ({ via, text, span: folded.spanOf(start, end) })),
    ...folded.tagRuns.map(({ text, span }) => ({ via: 'tags' as const, text, span })),
  ]
}

/** One finding for each family and encoding; overlapping places count once. */
function grouped(seen: readonly Seen[]): Finding[] {
  const findings = new Map<string, Finding & { lastEnd: number }>()
  const ordered = [...seen].sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end)
  for (const { family, via, weight, span } of ordered) {
    const key = `${family} ${via}`
    const finding = findings.get(key)
    if (finding === undefined)
      findings.set(key, { family, via, count: 1, weight, offsets: [span], lastEnd: span.end })
    else {
      finding.weight = Math.max(finding.weight, weight)
      if (span.start < finding.lastEnd) continue
      finding.count++
      finding.lastEnd = span.end
      if (finding.offsets.length < MAX_OFFSETS) finding.offsets.push(span)
    }
  }
  return [...findings.values()]
    .map(({ lastEnd: _, ...finding }) => finding)
    .sort((a, b) => b.weight - a.weight)
}

/** Each family moves the score towards 100 by its weight, so more findings never lower it. */
function scoreOf(findings: readonly Finding[]): number {
  const strongest = new Map<string, number>()
  for (const { family, weight } of findings)
    strongest.set(family, Math.max(strongest.get(family) ?? 0, weight))
  let left = 1
  for (const weight of strongest.values()) left *= 1 - weight
  return Math.round(100 * (1 - left))
}
