import { applyChanges, type Change } from './change.ts'
import { type Repaired, repairDocument, type Span } from './document.ts'
import { exactnessOf } from './exact.ts'
import { fencesInLines, findBlocks, inlineCode, outermostFence } from './fences.ts'
import { isRefusal, REASONS, type Refusal, refuse } from './refusal.ts'
import { type JsonRepair, MAX_LISTED_CHANGES } from './result.ts'

/** Longest text read, in UTF-16 code units. */
export const MAX_TEXT = 64 * 1024

/**
 * Makes a text JSON by the changes of change.ts and no others, or says why not (spec 4.1 rule 8). Pure, linear in the
 * text, and never throws: text that cannot be repaired is an answer.
 */
export function repairJson(text: string): JsonRepair {
  const found = findDocument(text)
  if (isRefusal(found)) return { ok: false, changes: [], ...found, detail: REASONS[found.reason] }
  const { changes, numbers } = found
  const repaired = changes.length === 0 ? text : applyChanges(text, changes)
  const exactness = numbers.map(exactnessOf)
  return {
    ok: true,
    repaired,
    changes: changes.slice(0, MAX_LISTED_CHANGES),
    changeCount: changes.length,
    ...(exactness.includes('out_of_range') ? {} : { value: JSON.parse(repaired) as unknown }),
    valueExact: exactness.every((one) => one === 'exact'),
  }
}

/** Where code may be in a text, the surest place first. The next is tried when none of one place is a document. */
const CODE = [findBlocks, inlineCode, fencesInLines, outermostFence]

/** A text that begins as a document: a fence before the place where reading stopped is part of one of its strings. */
const BEGINS = /^\s*[{[]/

/** The whole text if it is a document, else the only code block that is one. */
export function findDocument(text: string): Repaired | Refusal {
  if (text.length > MAX_TEXT) return refuse('too_large', MAX_TEXT)
  if (!text.isWellFormed()) return refuse('lone_surrogate', loneSurrogate(text))
  const whole = repairDocument(text, { from: 0, to: text.length, quoted: false })
  if (!isRefusal(whole)) return whole
  const readTo = BEGINS.test(text) ? whole.offset : 0
  let refusal: Refusal = whole
  for (const findCode of CODE) {
    const tried = findCode(text)
      .filter(({ from }) => from === 0 || from > readTo)
      .map((span) => ({ span, found: repairDocument(text, span) }))
    const [first, second] = tried.flatMap(({ span, found }) => (isRefusal(found) ? [] : [{ span, found }]))
    if (second !== undefined) return refuse('several_documents', second.span.from)
    if (first !== undefined) return unfence(text, first.span, first.found)
    const [only, another] = tried.map(({ found }) => found)
    //  a lone block tells better than the text around it what is wrong
    if (findCode === findBlocks && only !== undefined && another === undefined && isRefusal(only))
      refusal = only
  }
  return refusal
}

/** Removes what is around the span. */
function unfence(text: string, { from, to }: Span, { changes, numbers }: Repaired): Repaired {
  const cut = (offset: number, length: number): Change[] =>
    length === 0 ? [] : [{ kind: 'code_fence', offset, length, text: '' }]
  return { changes: [...cut(0, from), ...changes, ...cut(to, text.length - to)], numbers }
}

const loneSurrogate = (text: string): number =>
  text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
