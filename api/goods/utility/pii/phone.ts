import { parsePhoneNumberFromString } from 'libphonenumber-js'
import type { Span } from '../text/fold.ts'
import { isAlnumAt, isDigitAt } from './finder.ts'
import { isSaidPhone } from './phoneWords.ts'

const SIGNS = ' -.()/'
const MIN_DIGITS = 7
const MAX_DIGITS = 15 // E.164
const MAX_LENGTH = 28
const MAX_PARSED = 64 // international numbers parsed per text, which is costly; beyond them only the length counts

/** Dates, also after a version (`1.0.5 / 2014-09-05`), spans of years and decimal numbers. */
const OTHER_NUMBER =
  /^(?:(?:\d{1,3}(?:\.\d{1,3}){1,2} \/ )?(?:(?:19|20)\d\d[-./](?:0?[1-9]|1[0-2])[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d)(?!\d)|(?:19|20)\d\d ?[-/] ?(?:19|20)\d\d$|[1-9]\.\d+$)/
/** Dots separate all groups or none: `252.227-7013` is a clause, `277.764 1035` the coordinates of two points. */
const NORTH_AMERICAN =
  /^(?!\d{3}(?:\.\d{3}[ -]|[ -]?\d{3}\.))(?:\+?1[ .-]?|001-)?\(?[2-9]\d{2}\)?[ .-]?[1-9]\d{2}[ .-]\d{4}$/

const SIGNED_DECIMAL = /^\+\d+\.\d{1,2}$/
/**
 * International, as dialled, and in groups: `0044 20 7946 0958`. Article numbers begin this way too: it must be in an
 * assigned range.
 */
const DIALLED = /^00[1-9]\d{0,2}[ ()-]+\d/
const isInPlan = (written: string): boolean => parsePhoneNumberFromString(written)?.isValid() === true

/** Numbers that look like phone numbers: the weakest kind, because only the numbering plan can be checked. */
export function findPhones(text: string): Span[] {
  const spans: Span[] = []
  let parsed = 0
  for (let at = 0; at < text.length; at++) {
    if (!startsNumber(text, at)) continue
    const { end, digits } = numberFrom(text, at)
    const written = text.slice(at, end)
    if (digits >= MIN_DIGITS && digits <= MAX_DIGITS) {
      const isInternational = written.startsWith('+')
      const isDialled = DIALLED.test(written)
      if (isInternational || isDialled) parsed++
      const isPhone = isInternational
        ? !SIGNED_DECIMAL.test(written) &&
          (parsed > MAX_PARSED || parsePhoneNumberFromString(written)?.isPossible() === true)
        : NORTH_AMERICAN.test(written) ||
          (isDialled && parsed <= MAX_PARSED && isInPlan(`+${written.slice(2)}`)) ||
          (!OTHER_NUMBER.test(written) && isSaidPhone(text, { start: at, end }))
      if (isPhone) spans.push({ start: at, end })
    }
    at = Math.max(at, end - 1)
  }
  return spans
}

const startsNumber = (text: string, at: number): boolean =>
  (isDigitAt(text, at) ||
    (text[at] === '+' && !isSum(text, at)) ||
    (text[at] === '(' && isDigitAt(text, at + 1))) &&
  !isAlnumAt(text, at - 1) &&
  !'.-_+/$€£#'.includes(text[at - 1] ?? ' ')

/** `69069 + 907133923` */
const isSum = (text: string, at: number): boolean =>
  text[at + 1] === ' ' && /[\d)] ?$/.test(text.slice(Math.max(0, at - 2), at))

function numberFrom(text: string, start: number): { end: number; digits: number } {
  let digits = 0
  let end = start
  for (let at = start; at - start < MAX_LENGTH; at++) {
    const sign = text[at] ?? ''
    if (isDigitAt(text, at)) {
      digits++
      end = at + 1
    } else if (!(at === start && sign === '+') && (sign === '' || !SIGNS.includes(sign))) break
  }
  return isAlnumAt(text, end) && text[end] !== 'x' ? { end, digits: 0 } : { end, digits }
}
