import type { Hit } from './phrases.ts'

const WEIGHT = 0.6
const MAX_LABEL = 200
const MAX_TARGET = 600

/** Names of query parameters that carry what was said rather than which picture. */
const CARRIER = /[?&](?:q|data|d|msg|chat|history|prompt|secret|context|conversation|leak|payload)=/
const SLOT = /[{<[]/

/**
 * A markdown image whose address has a slot for data: whoever renders the answer sends it along (`![x](https://e/?q=…)`).
 * Bounded: labels up to 200 and addresses up to 600 characters are read.
 */
export function imageHits(text: string): Hit<'exfiltration'>[] {
  const hits: Hit<'exfiltration'>[] = []
  for (let at = text.indexOf('!['); at >= 0; at = text.indexOf('![', at + 2)) {
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
