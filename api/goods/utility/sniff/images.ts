import { occurrences } from '../text/occurrences.ts'
import type { Hit } from './phrases.ts'

const WEIGHT = 0.6
const MAX_LABEL = 200
const MAX_TARGET = 600

/** Query parameters that carry text of the conversation rather than name a picture. */
const CARRIER = /[?&](?:q|data|d|msg|chat|history|prompt|secret|context|conversation|leak|payload)=/
const SLOT = /[{<[]/

/**
 * A markdown image whose address has a slot for data: rendering the answer sends that data out (`![x](https://e/?q=…)`).
 * Labels are read up to MAX_LABEL characters, addresses up to MAX_TARGET.
 */
export function imageHits(text: string): Hit<'exfiltration'>[] {
  const hits: Hit<'exfiltration'>[] = []
  for (const at of occurrences(text, '![')) {
    const label = text.slice(at + 2, at + 2 + MAX_LABEL)
    const close = label.indexOf('](')
    if (close < 0) continue
    const start = at + 2 + close + 2
    const target = text.slice(start, start + MAX_TARGET)
    const end = target.indexOf(')')
    const address = end < 0 ? target : target.slice(0, end)
    if (!/^\s?https?:/i.test(address) || !address.includes('?')) continue
    if (CARRIER.test(address) || SLOT.test(address))
      hits.push({ family: 'exfiltration', weight: WEIGHT, start: at, end: start + address.length })
  }
  return hits
}
