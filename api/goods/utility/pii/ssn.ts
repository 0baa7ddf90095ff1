import type { Span } from '../text/fold.ts'
import { digitChains, type Group, standsAlone } from './digits.ts'

/** Nine digits in a row count only where they are called such a number. */
const NAMED = /(?<![a-z])(?:ssn|social[ _-]?security(?:[ _-]?(?:number|no\.?))?)["']?[ \t:=#]{0,4}["']?$/i
const MAX_NAME = 40

/** US social security numbers as 3-2-4 digits. Never issued: area 000, 666 and 900–999, group 00, serial 0000. */
export function findSsns(text: string): Span[] {
  const spans: Span[] = []
  for (const chain of digitChains(text)) {
    spans.push(...chain.filter((group) => isNamed(text, group)))
    for (let first = 0; first + 2 < chain.length; first++) {
      const [area, group, serial] = chain.slice(first, first + 3) as [Group, Group, Group]
      const span = { start: area.start, end: serial.end }
      const sign = text[area.end]
      if (sign === '.' || sign !== text[group.end] || !standsAlone(text, span)) continue
      if (isSsn(area.digits, group.digits, serial.digits)) spans.push(span)
    }
  }
  return spans
}

function isNamed(text: string, { start, end, digits }: Group): boolean {
  if (!standsAlone(text, { start, end })) return false
  const named = NAMED.test(text.slice(Math.max(0, start - MAX_NAME), start))
  return named && isSsn(digits.slice(0, 3), digits.slice(3, 5), digits.slice(5))
}

function isSsn(area: string, group: string, serial: string): boolean {
  if (area.length !== 3 || group.length !== 2 || serial.length !== 4) return false
  return area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000'
}
