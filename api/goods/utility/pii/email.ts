import type { Span } from '../text/fold.ts'
import { isAlnumAt, runLength, runLengthBefore } from './finder.ts'

const MAX_MAILBOX = 64 // RFC 5321
const MAX_HOST = 253
const MAX_USER_NAME = 256 // in a URL, with its `://`
/** Letters, or an internationalised name as DNS spells it; a picture `logo@2x.png` and a package `x@2.tgz` are no hosts. */
const TOP_LEVEL = /^(?!(?:png|jpe?g|gif|webp|svg|tgz)$)(?:[a-z]{2,24}|xn--[a-z0-9-]{2,59})$/i
/** Plain, and as URLs, JSON and HTML escape it. */
const AT = /@|%40|\\u0040|&#(?:64|x40);/gi

/** Mail addresses: a mailbox, `@`, a host of at least two labels. `git@host:path` is how a repository is reached, no mailbox. */
export function findEmails(text: string): Span[] {
  const spans: Span[] = []
  for (const { 0: sign, index: at } of text.matchAll(AT)) {
    const start = at - runLengthBefore(text, at, 'mailbox', MAX_MAILBOX)
    const mailbox = text.slice(start, at)
    const host = hostFrom(text, at + sign.length)
    const last = spans.at(-1)
    if (host === null || !/[A-Za-z0-9]/.test(mailbox) || mailbox.endsWith('.')) continue
    if (last !== undefined && start < last.end) continue
    const end = at + sign.length + host.length
    if (isCredential(text, start) || (mailbox === 'git' && /[:/]/.test(text[end] ?? ''))) continue
    spans.push({ start, end })
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
