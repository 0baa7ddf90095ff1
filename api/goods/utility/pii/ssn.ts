import type { Span } from '../text/fold.ts'
import { digitChains, type Group, standsAlone } from './digits.ts'

/** US social security numbers as 3-2-4 digits. Never issued: area 000, 666 and 900–999, group 00, serial 0000. */
export function findSsns(text: string): Span[] {
  const spans: Span[] = []
  for (const chain of digitChains(text))
    for (let first = 0; first + 2 < chain.length; first++) {
      const [area, group, serial] = chain.slice(first, first + 3) as [Group, Group, Group]
      const span = { start: area.start, end: serial.end }
      const sign = text[area.end]
      if (sign === '.' || sign !== text[group.end] || !standsAlone(text, span)) continue
      if (isSsn(area.digits, group.digits, serial.digits)) spans.push(span)
    }
  return spans
}

function isSsn(area: string, group: string, serial: string): boolean {
  if (area.length !== 3 || group.length !== 2 || serial.length !== 4) return false
  return area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000'
}
