import type { Span } from '../text/fold.ts'
import { occurrences } from '../text/occurrences.ts'

const MIN_VALUE = 6
const MAX_VALUE = 256

/**
 * A name that says what follows is secret, a sign of assignment, and perhaps a quote. Behind `=>` a quote must stand:
 * what is not quoted is code that takes the value from elsewhere.
 */
const ASSIGNED =
  /(?:password|passwd|pwd|passphrase|secret|secret[-_]?key|api[-_]?key|access[-_]?key|access[-_]?token|auth[-_]?token|refresh[-_]?token|client[-_]?secret|private[-_]?key|bearer)["']?(?:[ \t]{0,8}(?:=>[ \t]{0,8}["']|[:=]{1,2}[ \t]{0,8}["']?)|[ \t]{1,8}["']?)/gi
const VALUE_ENDS = new Set(' \t\r\n"\'`,;&<>(){}[]')
/** Not a value but a place for one, or a value already covered. */
const PLACEHOLDER =
  /^(?:[*x.•_-]+|null|none|undefined|true|false|redacted|masked|hidden|required|invalid|missing|changeme|example[\w-]{0,12}|your[\w-]{0,24}|password|secret|\$.*|%.*)$/i

/** `password=…`, `"api_key": "…"`, `Authorization: Bearer …`: the name tells, whatever the value looks like. */
export function findAssignedSecrets(text: string): Span[] {
  const spans: Span[] = []
  let read = 0
  for (const match of text.matchAll(ASSIGNED)) {
    if (match.index < read) continue //  part of a value
    const start = match.index + match[0].length
    const named = match[0].toLowerCase()
    //  a blank alone assigns only after `Bearer`
    if (!/[:=]/.test(named) && !named.startsWith('bearer')) continue
    let end = start
    while (end - start < MAX_VALUE && !VALUE_ENDS.has(text[end] ?? ' ')) end++
    read = end
    const value = text.slice(start, end)
    if (
      value.length < MIN_VALUE ||
      PLACEHOLDER.test(value) ||
      (named.startsWith('bearer') && !/\d/.test(value))
    )
      continue
    spans.push({ start, end })
  }
  return spans
}

const MAX_USER_INFO = 256
const SLOT = /[${}<>*]|^(?:REPLACE|YOUR_)/

/** `scheme://name:secret@host`, unless the secret is a place for one or repeats the name. */
export function findUrlCredentials(text: string): Span[] {
  const spans: Span[] = []
  for (const at of occurrences(text, '://')) {
    const start = at + 3
    const userInfo = /^[^\s/@"'`]{1,256}@/
      .exec(text.slice(start, start + MAX_USER_INFO + 1))?.[0]
      .slice(0, -1)
    const colon = userInfo?.indexOf(':') ?? -1
    if (userInfo === undefined || colon < 1) continue
    const name = userInfo.slice(0, colon)
    const secret = userInfo.slice(colon + 1)
    const isWeb = /(?:http|https|ftp|sftp|ssh)$/i.test(text.slice(Math.max(0, at - 8), at))
    if (secret === '' || secret === name || SLOT.test(secret) || (!isWeb && /^password$/i.test(secret)))
      continue
    spans.push({ start, end: start + userInfo.length })
  }
  return spans
}
