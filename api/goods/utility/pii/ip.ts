import { isIPv4, isIPv6 } from 'node:net'
import type { Span } from '../text/fold.ts'
import { isAlnumAt, isDigitAt, runLength } from './finder.ts'

const MAX_V4 = 15
const MAX_V6 = 45
/** Characters read after the longest address: one may end the sentence, another shows that the number goes on. */
const BEHIND = 2
const MIN_GROUPS_V6 = 3
const OCTETS = /^(?:[0-9a-f]{2}:){7}[0-9a-f]{2}$/i // EUI-64, World Wide Name: nobody writes an IPv6 address so
const BEFORE = 24
/** What says that four numbers count something: a version, a part of a text, an object. */
const SAYS_COUNT =
  /(?:version[a-z]{0,8}|(?<![a-z])(?:ver|releases?|firmware|sections?|sec|chapters?|clauses?|oid|object ?identifier))["']?[ .:=(-]{0,3}["']?$|§ ?$/i
/** The same after the numbers: `12.4.254.14-node.11`, `Git 1.8.1.3 Release Notes`. */
const COUNTED = /^(?:-[a-z]| (?:release notes|changelog))/i

/** Four numbers up to 255; a longer row of numbers (a version, an object id) is no address. */
export function findIpv4s(text: string): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < text.length; at++) {
    if (!isDigitAt(text, at)) continue
    const end = endOfRun(text, at, 'address4')
    const written = text.slice(at, Math.min(end, at + MAX_V4 + BEHIND)).replace(/\.$/, '')
    const isJoined = text[at - 1] === '.' && !isEllipsisAt(text, at - 1)
    const isAlone = !isAlnumAt(text, at - 1) && !isJoined && !isAlnumAt(text, end)
    if (
      isAlone &&
      isIPv4(written) &&
      !isVersion(text.slice(Math.max(0, at - BEFORE), at), written, text.slice(end, end + BEFORE))
    )
      spans.push({ start: at, end: at + written.length })
    at = end
  }
  return spans
}

/**
 * `Version=4.0.0.0`, and products as browsers name themselves: `Chrome/120.0.0.0`; but `localhost/10.0.0.1` is an
 * address. Of the numbers that begin with 0, only the one that stands for every address is an address.
 */
const isVersion = (before: string, written: string, behind: string): boolean =>
  SAYS_COUNT.test(before) ||
  COUNTED.test(behind) ||
  (/[a-z]\/$/i.test(before) && written.endsWith('.0.0.0')) ||
  (written.startsWith('0.') && written !== '0.0.0.0')

/** At least three groups and one digit, so that `std::move` and the like do not count. */
export function findIpv6s(text: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at)) {
    let start = at
    while (start > 0 && at - start < MAX_V6 && isInAddress(text, start - 1, 'address6')) start--
    const end = endOfRun(text, start, 'address6')
    const written = withoutSign(text.slice(start, Math.min(end, start + MAX_V6 + BEHIND)))
    const groups = written.split(':').filter((group) => group !== '')
    if (
      groups.length >= MIN_GROUPS_V6 &&
      /\d/.test(written) &&
      !isWordAt(text, start - 1) &&
      !isWordAt(text, end) &&
      isIPv6(written) &&
      !OCTETS.test(written)
    )
      spans.push({ start, end: start + written.length })
    at = end
  }
  return spans
}

/** Without the full stop or colon of the sentence; `::` at the end is of the address. */
const withoutSign = (written: string): string =>
  written.endsWith('::') && !written.endsWith(':::') ? written : written.replace(/[.:]$/, '')

/** Where the signs of an address end. Each is looked at with its neighbours only. */
function endOfRun(text: string, start: number, charset: 'address4' | 'address6'): number {
  let end = start
  while (isInAddress(text, end, charset)) end++
  return end
}

const isInAddress = (text: string, at: number, charset: 'address4' | 'address6'): boolean =>
  runLength(text, at, charset, 1) === 1 && !isEllipsisAt(text, at)

/** Consecutive dots are an ellipsis (`Trying 10.0.0.1...`) or a range, not part of an address. */
const isEllipsisAt = (text: string, at: number): boolean =>
  text[at] === '.' && (text[at - 1] === '.' || text[at + 1] === '.')

const isWordAt = (text: string, at: number): boolean => isAlnumAt(text, at) || text[at] === '_'
