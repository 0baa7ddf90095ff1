import type { Span } from '../text/fold.ts'
import { occurrences } from '../text/occurrences.ts'
import { isAlnumAt, isDigitAt, runLength, runLengthBefore } from './finder.ts'
import { TOKEN_SHAPES, type TokenShape } from './tokens.ts'

/** Keys of SendGrid, Telegram and some others contain separators that a charset cannot express. */
const SENDGRID = { prefix: 'SG.', idMin: 16, idMax: 32, secretMin: 32, secretMax: 64 }
const TELEGRAM = { mark: ':AA', idMin: 8, idMax: 10, secret: 35 }
/**
 * Keys with a mark in them, the number of characters before it where it is not at the start, and the spelling of the
 * whole.
 */
const MARKED = [
  {
    mark: 'hooks.slack.com/services/',
    whole: /^hooks\.slack\.com\/services\/T[A-Z0-9]{4,12}\/B[A-Z0-9]{4,12}\/[A-Za-z0-9]{8,32}/,
  },
  {
    mark: 'discord.com/api/webhooks/',
    whole: /^discord\.com\/api\/webhooks\/[0-9]{17,20}\/[\w-]{60,80}/,
  },
  {
    mark: 'webhook.office.com/webhookb2/',
    whole:
      /^webhook\.office\.com\/webhookb2\/[0-9a-f-]{36}@[0-9a-f-]{36}\/IncomingWebhook\/[0-9a-f]{32}\/[0-9a-f-]{36}/,
  },
  //  1Password, Azure, Harness, Terraform
  {
    mark: 'A3-',
    whole: /^A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![\w-])/,
  },
  { mark: 'Q~', before: 4, whole: /^[\w~.]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])/ },
  { mark: 'pat.', whole: /^pat\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}(?![\w-])/ },
  { mark: 'sat.', whole: /^sat\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}(?![\w-])/ },
  { mark: '.atlasv1.', before: 14, whole: /^[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}(?![\w=-])/ },
  //  Airtable, Mailchimp, Resend, Google's messages, and blockchain nodes with the key in the address
  { mark: 'pat', whole: /^pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)/ },
  { mark: '-us', before: 32, whole: /^[0-9a-f]{32}-us\d{1,2}(?!\w)/ },
  { mark: 're_', whole: /^re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![\w-])/ },
  { mark: ':APA91b', before: 11, whole: /^AAAA[\w-]{7}:APA91b[\w-]{134}(?![\w-])/ },
  { mark: 'g.alchemy.com/v2/', whole: /^g\.alchemy\.com\/v2\/[\w-]{32}(?![\w-])/ },
  { mark: 'infura.io/v3/', whole: /^infura\.io\/v3\/[0-9a-f]{32}(?!\w)/ },
  { mark: 'quiknode.pro/', whole: /^quiknode\.pro\/[0-9a-f]{40}(?!\w)/ },
]
const MARKED_MAX = 220

/** Keys in a provider's own spelling. */
export function findProviderTokens(text: string): Span[] {
  const found = [
    ...TOKEN_SHAPES.flatMap((shape) => shapeSpans(text, shape)),
    ...sendgridSpans(text),
    ...telegramSpans(text),
    ...markedSpans(text),
    ...discordSpans(text),
  ]
  return apart(found)
}

function shapeSpans(
  text: string,
  { prefixes, charset, min, max, within, leadingDigits = 0 }: TokenShape,
): Span[] {
  const spans: Span[] = []
  for (const prefix of prefixes) {
    let runEnd = 0 //  a run of the charset is walked once, however many prefixes lie in it
    for (const start of occurrences(text, prefix)) {
      if (isLetterAt(text, start - 1)) continue
      const body = start + prefix.length
      if (body >= runEnd) runEnd = body + runLength(text, body, charset, text.length)
      const length = runEnd - body
      if (length < min || length > max || isAlnumAt(text, runEnd)) continue
      if (within !== undefined && !text.slice(body, body + length).includes(within)) continue
      if (runLength(text, body, 'digits', leadingDigits) < leadingDigits) continue
      spans.push({ start, end: runEnd })
    }
  }
  return spans
}

function sendgridSpans(text: string): Span[] {
  const spans: Span[] = []
  for (const start of occurrences(text, SENDGRID.prefix)) {
    const id = start + SENDGRID.prefix.length
    const dot = id + runLength(text, id, 'base64url', SENDGRID.idMax + 1)
    const length = runLength(text, dot + 1, 'base64url', SENDGRID.secretMax + 1)
    if (
      dot - id >= SENDGRID.idMin &&
      dot - id <= SENDGRID.idMax &&
      text[dot] === '.' &&
      length >= SENDGRID.secretMin &&
      length <= SENDGRID.secretMax
    )
      spans.push({ start, end: dot + 1 + length })
  }
  return spans
}

/** `110201543:AA…`: the number of the bot, and its key. */
function telegramSpans(text: string): Span[] {
  const spans: Span[] = []
  for (const colon of occurrences(text, TELEGRAM.mark)) {
    const id = runLengthBefore(text, colon, 'digits', TELEGRAM.idMax + 1)
    const secret = runLength(text, colon + 1, 'base64url', TELEGRAM.secret + 1)
    if (id < TELEGRAM.idMin || id > TELEGRAM.idMax || secret !== TELEGRAM.secret) continue
    spans.push({ start: colon - id, end: colon + 1 + secret })
  }
  return spans
}

function markedSpans(text: string): Span[] {
  return MARKED.flatMap(({ mark, before = 0, whole }) =>
    [...occurrences(text, mark)].flatMap((at) => {
      const start = Math.max(0, at - before)
      const match = isLetterAt(text, start - 1) ? null : whole.exec(text.slice(start, start + MARKED_MAX))
      return match === null ? [] : [{ start, end: start + match[0].length }]
    }),
  )
}

const DISCORD = /(?<![\w-])([MNO][\w-]{22,27})\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g

/** `MTA2….G….…`: the number of the bot in base64, the time, and its key. */
function discordSpans(text: string): Span[] {
  return [...text.matchAll(DISCORD)]
    .filter(({ 1: id = '' }) => /^\d{17,20}$/.test(Buffer.from(id, 'base64url').toString('latin1')))
    .map(({ 0: { length }, index }) => ({ start: index, end: index + length }))
}

const isLetterAt = (text: string, at: number): boolean => isAlnumAt(text, at) && !isDigitAt(text, at)

/** One key can have two spellings that fit it: it counts once. */
function apart(spans: Span[]): Span[] {
  let end = 0
  return spans
    .sort((a, b) => a.start - b.start)
    .filter((span) => {
      if (span.start < end) return false
      end = span.end
      return true
    })
}
