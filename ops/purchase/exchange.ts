import { parseRetryAfter } from '../retryAfter.ts'
import type { Attempt } from './resend.ts'

/** One answer, read whole. `json` is undefined when the body is not JSON. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown }

/** A paid answer is small; more than this is not read. */
const MAX_BODY_BYTES = 8 * 1024 * 1024

/** Codes of a connection that was never made: nothing can have arrived. */
const NEVER_LEFT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Sends a request and reads its answer, or says how it got lost. Never throws, never follows a redirect. */
export async function exchange(
  request: Request,
  timeoutMs: number,
): Promise<
  | { answer: Answer; attempt: Attempt & { kind: 'answered' } }
  | { answer: null; attempt: Attempt & { kind: 'lost' } }
> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(request, { redirect: 'manual', signal })
    const text = await readText(response)
    const answer = { status: response.status, headers: response.headers, text, json: parseJson(text) }
    return {
      answer,
      attempt: {
        kind: 'answered',
        status: answer.status,
        code: codeOfProblem(answer.json),
        retryAfterMs: parseRetryAfter(response.headers.get('retry-after') ?? undefined, Date.now()),
      },
    }
  } catch (error) {
    const reason = signal.aborted ? 'timeout' : codeOf(error)
    return { answer: null, attempt: { kind: 'lost', reason, mayHaveArrived: !NEVER_LEFT.has(reason) } }
  }
}

/** The body of an answer, bounded. @throws when it is longer. */
export async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw Object.assign(new Error('too large'), { code: 'body_too_large' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Deeper than anything that is sold: `json` gives back 512 levels. Code that walks through the JSON has a limited stack. */
const MAX_DEPTH = 600

/** undefined: no JSON, or nested beyond reason. */
export function parseJson(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text)
    return isDeeper(json, MAX_DEPTH) ? undefined : json
  } catch {
    return undefined
  }
}

const isDeeper = (value: unknown, left: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((each) => isDeeper(each, left - 1)))

/** `code` of a problem+json body. */
export const codeOfProblem = (json: unknown): string | null =>
  typeof json === 'object' && json !== null && 'code' in json && typeof json.code === 'string'
    ? json.code
    : null

/** Words for codes that tell a buyer nothing. */
const WORDS: Record<string, string> = { UND_ERR_HEADERS_OVERFLOW: 'headers_too_large' }

/** fetch wraps the cause; a dual-stack connect fails with an aggregate. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'failed'
  if ('code' in error && typeof error.code === 'string') return WORDS[error.code] ?? error.code
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  if ('cause' in error && error.cause !== undefined) return codeOf(error.cause)
  return 'failed'
}
