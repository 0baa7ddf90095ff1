import type { Span } from '../text/fold.ts'
import { occurrences } from '../text/occurrences.ts'
import { isAlnumAt, runLength, runLengthBefore } from './finder.ts'

const MAX_MAILBOX = 64 // RFC 5321
const MAX_HOST = 253
const MAX_USER_NAME = 256 // in a URL, with its `://`
const TOP_LEVEL = /^[A-Za-z]{2,24}$/

/** Mail addresses: a mailbox, `@`, a host of at least two labels whose last is letters. */
export function findEmails(text: string): Span[] {
  const spans: Span[] = []
  for (const at of occurrences(text, '@')) {
    const start = at - runLengthBefore(text, at, 'mailbox', MAX_MAILBOX)
    const host = hostFrom(text, at + 1)
    const last = spans.at(-1)
    if (host === null || start === at || !isAlnumAt(text, at - 1) || (last !== undefined && start < last.end))
      continue
    if (isCredential(text, start)) continue
    spans.push({ start, end: at + 1 + host.length })
  }
  return spans
}

function hostFrom(text: string, at: number): string | null {
  let end = at + runLength(text, at, 'host', MAX_HOST)
  while (end > at && !isAlnumAt(text, end - 1)) end--
  const host = text.slice(at, end)
  const labels = host.split('.')
  return labels.length >= 2 && TOP_LEVEL.test(labels.at(-1)!) && labels.every((label) => label !== '')
    ? host
    : null
}

/** `scheme://name:secret@host` is counted as a key in a URL. The URL must reach up to the address. */
const isCredential = (text: string, start: number): boolean =>
  text[start - 1] === ':' && /:\/\/[^\s/@"'`]*:$/.test(text.slice(Math.max(0, start - MAX_USER_NAME), start))
