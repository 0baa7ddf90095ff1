import type { Span } from '../text/fold.ts'
import { occurrences } from '../text/occurrences.ts'
import { isAlnumAt, isDigitAt, runLength } from './finder.ts'
import { TOKEN_SHAPES, type TokenShape } from './tokens.ts'

/** SendGrid and Slack's webhooks have signs inside that a charset cannot say. */
const SENDGRID = { prefix: 'SG.', idMin: 16, idMax: 32, secretMin: 32, secretMax: 64 }
const WEBHOOK = 'hooks.slack.com/services/'
const WEBHOOK_MIN = 19
const WEBHOOK_MAX = 80

/** Keys in a provider's own spelling. */
export function findProviderTokens(text: string): Span[] {
  const found = [
    ...TOKEN_SHAPES.flatMap((shape) => shapeSpans(text, shape)),
    ...sendgridSpans(text),
    ...webhookSpans(text),
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

function webhookSpans(text: string): Span[] {
  const spans: Span[] = []
  for (const start of occurrences(text, WEBHOOK)) {
    const path = text.slice(start + WEBHOOK.length, start + WEBHOOK.length + WEBHOOK_MAX)
    const match = /^T[A-Z0-9]{4,12}\/B[A-Z0-9]{4,12}\/[A-Za-z0-9]{8,32}/.exec(path)
    if (match !== null && match[0].length >= WEBHOOK_MIN)
      spans.push({ start, end: start + WEBHOOK.length + match[0].length })
  }
  return spans
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
