import type { Span } from '../text/fold.ts'
import { isAlnumAt, runLength, runLengthBefore } from './finder.ts'

const MAX_MAILBOX = 64 // RFC 5321
const MAX_HOST = 253
const MAX_USER_NAME = 256 // in a URL, with its `://`
/** Letters, or an internationalised name as DNS spells it; a picture `logo@2x.png` and a package `x@2.tgz` are no hosts. */
const TOP_LEVEL = /^(?!(?:png|jpe?g|gif|webp|svg|tgz)$)(?:[a-z]{2,24}|xn--[a-z0-9-]{2,59})$/i
/**
 * A host with letters of another script, whose last label is all in that script or not at all; below, the characters of
 * such a mailbox (RFC 6531).
 */
const HOST_IN_SCRIPT =
  /^(?:(?:(?![\u0000-\u007f])[\p{L}\p{M}\p{N}]|[A-Za-z0-9-]){1,63}\.){1,10}(?:([A-Za-z][A-Za-z0-9-]{1,62})|(?:(?![\u0000-\u007f])[\p{L}\p{M}]){2,24})/u
const IN_MAILBOX = /[A-Za-z0-9._%+-]|(?![\u0000-\u007f])[\p{L}\p{M}\p{N}]/u
/** Plain, and as URLs, JSON and HTML escape it. */
const AT = /@|%40|\\u0040|&#(?:64|x40);/gi

/**
 * Mail addresses: a mailbox, `@`, a host of at least two labels. `git@host:path` addresses a repository, not a mailbox.
 * Letters beyond ASCII count only where no ASCII ones match, because an address may be surrounded by words without a
 * blank.
 */
export function findEmails(text: string): Span[] {
  const spans: Span[] = []
  for (const { 0: sign, index: at } of text.matchAll(AT)) {
    const mailbox = mailboxBefore(text, at)
    const start = at - mailbox.length
    const host = hostFrom(text, at + sign.length)
    const last = spans.at(-1)
    if (host === null || !/[\p{L}\p{N}]/u.test(mailbox) || mailbox.endsWith('.')) continue
    if (last !== undefined && start < last.end) continue
    const end = at + sign.length + host.length
    if (isCredential(text, start) || (mailbox === 'git' && /[:/]/.test(text[end] ?? ''))) continue
    spans.push({ start, end })
  }
  return spans
}

function mailboxBefore(text: string, at: number): string {
  const length = runLengthBefore(text, at, 'mailbox', MAX_MAILBOX)
  if (length > 0) return text.slice(at - length, at)
  const signs = [...text.slice(Math.max(0, at - MAX_MAILBOX), at)]
  return signs.slice(signs.findLastIndex((sign) => !IN_MAILBOX.test(sign)) + 1).join('')
}

function hostFrom(text: string, at: number): string | null {
  let end = at + runLength(text, at, 'host', MAX_HOST)
  while (end > at && !isAlnumAt(text, end - 1)) end--
  const host = text.slice(at, end)
  const labels = host.split('.')
  if (labels.length >= 2 && TOP_LEVEL.test(labels.at(-1)!) && labels.every((label) => label !== ''))
    return host
  const [inScript = '', topLevel = null] = HOST_IN_SCRIPT.exec(text.slice(at, at + MAX_HOST)) ?? []
  const isHost = /[\u0080-\uffff]/.test(inScript) && (topLevel === null || TOP_LEVEL.test(topLevel))
  return isHost ? inScript : null
}

/** `scheme://name:secret@host` is counted as a key in a URL. The URL must reach up to the address. */
const isCredential = (text: string, start: number): boolean =>
  text[start - 1] === ':' && /:\/\/[^\s/@"'`]*:$/.test(text.slice(Math.max(0, start - MAX_USER_NAME), start))
