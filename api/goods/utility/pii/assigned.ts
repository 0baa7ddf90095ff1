import type { Span } from '../text/fold.ts'
import { occurrences } from '../text/occurrences.ts'
import { findCommandSecrets } from './commandSecrets.ts'
import { PLACEHOLDER, SLOT } from './placeholder.ts'

const MIN_VALUE = 6
const MAX_VALUE = 256

/**
 * A name that says a secret follows, a sign of assignment, and perhaps a quote, which may be escaped. After `=>` a
 * quote is required: an unquoted value is code that takes it from elsewhere. The same holds after a type (`apiKey:
 * string =`) and an index (`env["API_KEY"] =`). Settings in lists have the value beside the name (`name: DB_PASSWORD`,
 * `value: …`).
 */
const ASSIGNED =
  /(?:password|passwd|pwd|passphrase|passwort|kennwort|wachtwoord|mot de passe|contrase[nñ]a|secret|secret[-_]?key|api[-_]?key|access[-_]?key|account[-_]?key|(?:access|auth|refresh|api|bot|session)[-_]?token|client[-_]?secret|private[-_]?key|bearer)(?:\\?["'])?(?::[ \t]{0,3}(?:str|string|&(?:'static )?str)[ \t]{1,3}=[ \t]{1,3}["']|\][ \t]{0,8}=[ \t]{0,8}["']|(?:,\s{0,24}|\s{1,24})["']?value["']?[ \t]{0,3}[:=][ \t]{0,8}["']|[ \t]{0,8}\r?\n[ \t]{1,24}value:[ \t]{1,8}|[ \t]{0,8}(?:=>[ \t]{0,8}["']|[:=]{1,2}[ \t]{0,8}(?:\\?["'])?)|>|[ \t]{1,8}(?:is[ \t])?["']?)/gi
const VALUE_ENDS = new Set(' \t\r\n"\'`,;&<>(){}[]\\')
const COVERED = /^\*{2}|\*{3}|\.{3}|x{5}/i
/** Code that takes the value from elsewhere. */
const TAKEN =
  /^(?:process|os|env|config|settings|self|this|req|request|params|args|options|secrets|vars?|data|local|module)\.|^[A-Za-z_$][\w$]{0,63}\.value$/
/** Other languages: their words for a place or a state (`Passwort: vergessen`) are not listed, so the value must hold a digit. */
const OTHER_LANGUAGE = /^(?:passwort|kennwort|wachtwoord|mot|contrase)/i
const OPTION = /--[a-z-]{0,24}$/i
const MAX_OPTION = 26
const MAX_BEHIND = 40

/** `password=…`, `"api_key": "…"`, `Authorization: Bearer …`: the name tells, whatever the value looks like. */
export function findAssignedSecrets(text: string): Span[] {
  const spans: Span[] = []
  let read = 0
  for (const { 0: named, index } of text.matchAll(ASSIGNED)) {
    if (index < read) continue //  part of a value
    const start = index + named.length
    let end = start
    while (end - start < MAX_VALUE && !VALUE_ENDS.has(text[end] ?? ' ')) end++
    const value = text.slice(start, end)
    const before = text.slice(Math.max(0, index - MAX_OPTION), index)
    if (!assigns(named, { before, behind: text.slice(end, end + 2), value })) continue
    read = end
    if (value.length < MIN_VALUE || [PLACEHOLDER, COVERED, PATH].some((other) => other.test(value))) continue
    if (!/["']$/.test(named) && isNoLiteral(named, value, text.slice(end, end + MAX_BEHIND))) continue
    if (value === `${/\w*$/.exec(before)![0]}${/^\w*/.exec(named)![0]}`) continue //  handed on: `f(key_password=key_password)`
    spans.push({ start, end })
  }
  return [...spans, ...basicSpans(text), ...findCommandSecrets(text)]
}

/** Does the sign say that the value belongs to the name? A blank does in a few forms, and there the value must hold a digit. */
function assigns(
  named: string,
  { before, behind, value }: { before: string; behind: string; value: string },
): boolean {
  if (named.endsWith('>')) return behind === '</' //  an element of XML
  const isBearer = /^bearer/i.test(named)
  if (/[:=]/.test(named)) return !(isBearer || OTHER_LANGUAGE.test(named)) || /\d/.test(value)
  const isForm = isBearer || /[ \t](?:is[ \t])["']?$|["']$/i.test(named) || OPTION.test(before)
  return isForm && /\d/.test(value)
}

/**
 * A program's variable, of several parts and without a digit: `userdata.password = password_ptr`, `passphrase =
 * _ffi.NULL`.
 */
const VARIABLE = /^[a-z$]*[_.][a-z_$.]+$/i
const SECRET_WORD = /key|password|passphrase|token|secret/i

/** The name again, or a type: `private_key: rsa.RSAPrivateKey`, `secretKey: secretKeyA`, `password: user.password`. */
const isNameAgain = (value: string): boolean =>
  (VARIABLE.test(value) && SECRET_WORD.test(value)) || /^[a-z]+Key(?:[A-Z][A-Za-z]*)?$/.test(value)

/** The path of a file or folder, not what it holds: `PWD=/home/ann`, `NOPASSWD: /bin/systemctl`. */
const PATH = /^(?:~|\.{1,2})?(?:\/[a-z._-]+){2,}\/?$/i

/** Code, or a sentence that continues after a word: `password = getpass()`, `Password: minimum 8 characters`. */
const isNoLiteral = (named: string, value: string, behind: string): boolean =>
  TAKEN.test(value) ||
  (/[ \t]=[ \t]+$/.test(named) && VARIABLE.test(value)) ||
  (/:[ \t]+$/.test(named) && isNameAgain(value)) ||
  (/[ \t]==[ \t]+$/.test(named) && /^[a-z_$][\w$.]*:?$/i.test(value)) ||
  (/^[([]/.test(behind) && /^[a-z_$][\w$.]*$/i.test(value)) ||
  (/:[ \t]+$/.test(named) && /^[a-z]+$/i.test(value) && /^ [a-z0-9]+(?![\w-]*[:=])/i.test(behind))

const BASIC = /\bbasic[ \t]{1,8}([A-Za-z0-9+/_-]{8,256})/gi

/** `Authorization: Basic …`: base64 of a name, a colon and a password (RFC 7617). */
function basicSpans(text: string): Span[] {
  return [...text.matchAll(BASIC)].flatMap(({ 0: said, 1: encoded = '', index }) => {
    const end = index + said.length
    const isPair = /^[^:\0-\x1f\x7f\ufffd]*:[^\0-\x1f\x7f\ufffd]+$/.test(
      Buffer.from(encoded, 'base64').toString(),
    )
    return isPair ? [{ start: end - encoded.length, end }] : []
  })
}

const MAX_USER_INFO = 256

/** `scheme://name:secret@host`, also without a name, unless the secret is a placeholder or repeats the name. */
export function findUrlCredentials(text: string): Span[] {
  const spans: Span[] = []
  for (const at of occurrences(text, '://')) {
    const start = at + 3
    const userInfo = /^[^\s/@"'`]{1,256}@/
      .exec(text.slice(start, start + MAX_USER_INFO + 1))?.[0]
      .slice(0, -1)
    const colon = userInfo?.indexOf(':') ?? -1
    if (userInfo === undefined || colon < 0) continue
    const name = userInfo.slice(0, colon)
    const secret = userInfo.slice(colon + 1)
    const isWeb = /(?:http|https|ftp|sftp|ssh)$/i.test(text.slice(Math.max(0, at - 8), at))
    if (secret === '' || secret === name || SLOT.test(secret) || (!isWeb && /^password$/i.test(secret)))
      continue
    spans.push({ start, end: start + userInfo.length })
  }
  return spans
}
