import { isIPv4, isIPv6 } from 'node:net'
import type { Span } from '../text/fold.ts'
import { isAlnumAt, isDigitAt, runLength } from './finder.ts'

const MAX_V4 = 15
const MAX_V6 = 45
const MIN_GROUPS_V6 = 3

/** Four numbers up to 255; a longer row of numbers (a version, an object id) is none. */
export function findIpv4s(text: string): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < text.length; at++) {
    if (!isDigitAt(text, at)) continue
    const length = runOf(text, at)
    const written = text.slice(at, at + Math.min(length, MAX_V4 + 1)).replace(/\.$/, '')
    if (!isAlnumAt(text, at - 1) && text[at - 1] !== '.' && isIPv4(written) && !isAlnumAt(text, at + length))
      spans.push({ start: at, end: at + written.length })
    at += length
  }
  return spans
}

function runOf(text: string, at: number): number {
  let length = 0
  while (isDigitAt(text, at + length) || text[at + length] === '.') length++
  return length
}

/** At least three groups and one digit, so that `std::move` and the like are none. */
export function findIpv6s(text: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at)) {
    let start = at
    while (start > 0 && at - start < MAX_V6 && runLength(text, start - 1, 'address6', 1) === 1) start--
    const length = runLength(text, start, 'address6', text.length)
    const written = text
      .slice(start, start + Math.min(length, MAX_V6 + 1))
      .replace(/[.:]$/, (sign) => (sign === '.' ? '' : sign))
    const groups = written.split(':').filter((group) => group !== '')
    if (
      groups.length >= MIN_GROUPS_V6 &&
      /\d/.test(written) &&
      !isWordAt(text, start - 1) &&
      !isWordAt(text, start + length) &&
      isIPv6(written)
    )
      spans.push({ start, end: start + written.length })
    at = start + length
  }
  return spans
}

const isWordAt = (text: string, at: number): boolean => isAlnumAt(text, at) || text[at] === '_'
