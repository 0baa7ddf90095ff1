import type { Span } from '../text/fold.ts'
import { isAlnumAt, isDigitAt, runLength } from './finder.ts'

/** Groups of digits with one sign between them, as numbers are written for people: `4111 1111 1111 1111`. */
export type Group = { start: number; end: number; digits: string }

const MAX_GROUP = 40
const SEPARATORS = ' -.\u2013' // an en dash separates groups, but does not join words as a hyphen does

/**
 * Chains of digit groups, each as long as it goes on: a row of a table is one chain. A chain that touches letters, `_`
 * or a longer number is not a number written for people.
 */
export function digitChains(text: string): Group[][] {
  const chains: Group[][] = []
  let chain: Group[] = []
  for (let at = 0; at < text.length; at++) {
    if (!isDigitAt(text, at)) continue
    const length = runLength(text, at, 'digits', text.length)
    const group = { start: at, end: at + length, digits: text.slice(at, at + Math.min(length, MAX_GROUP)) }
    const last = chain.at(-1)
    const joined = last !== undefined && at - last.end === 1 && SEPARATORS.includes(text[last.end]!)
    if (!joined) {
      chain = []
      chains.push(chain)
    }
    chain.push(group)
    at += length - 1
  }
  return chains
}

/** Does a number at this place stand alone, not inside a word, a path, a decimal or an identifier? */
export function standsAlone(text: string, { start, end }: Span): boolean {
  const before = text[start - 1] ?? ' '
  const after = text[end] ?? ' '
  if (isAlnumAt(text, start - 1) || isAlnumAt(text, end) || before === '_' || after === '_') return false
  if (isJoin(before) && isAlnumAt(text, start - 2)) return false
  return !(isJoin(after) && isAlnumAt(text, end + 1))
}

const isJoin = (sign: string): boolean => sign === '-' || sign === '.'
