import type { Answer, Ask, Routes } from '../http/answer.ts'
import { spoilRows } from './rows.ts'
import type { Armed } from './rules.ts'

/** What the transport has to do besides sending the answer. */
export type Delivery = {
  answer: Answer
  delayMs: number
  hang: boolean
  truncate: boolean
  reset: boolean
  dateSkewMs: number
}

const CURSOR_NAMES = ['next_cursor', 'cursor'] as const // in answers: venue A, venue B
const QUERY_NAMES = ['after_cursor', 'cursor'] as const // in requests

type Page = Record<string, unknown>
const parse = (answer: Answer): unknown => JSON.parse(answer.body.toString())
const replace = (answer: Answer, body: unknown): Answer => ({ ...answer, body: JSON.stringify(body) })
const cursorOf = (page: Page): [name: 'next_cursor' | 'cursor', value: string] => {
  const name = CURSOR_NAMES.find((candidate) => candidate in page) ?? 'next_cursor'
  return [name, typeof page[name] === 'string' ? page[name] : '']
}

const withQuery = (ask: Ask, change: (query: URLSearchParams) => void): Ask => {
  const query = new URLSearchParams(ask.query)
  change(query)
  return { ...ask, query }
}

/** The same question with another cursor. */
const at = (ask: Ask, cursor: string): Ask =>
  withQuery(ask, (query) => query.set(ask.path.startsWith('/trade-api') ? 'cursor' : 'after_cursor', cursor))

/** Changes to the question: cursor, limit and instant. */
function bend(ask: Ask, rules: readonly Armed[]): Ask {
  let asked = ask
  for (const rule of rules) {
    const { fault } = rule
    if (fault.kind === 'cursor' && fault.how === 'ignored')
      asked = withQuery(asked, (query) => {
        for (const name of QUERY_NAMES) query.delete(name)
      })
    if (fault.kind === 'limit')
      asked = withQuery(asked, (query) => {
        query.set('limit', String(Math.min(fault.limit, Number(query.get('limit') ?? fault.limit))))
      })
    if (fault.kind === 'freeze') {
      rule.frozenMs ??= ask.nowMs
      asked = { ...asked, nowMs: rule.frozenMs }
    }
    if (fault.kind === 'stale') asked = { ...asked, nowMs: ask.nowMs - fault.ms }
  }
  return asked
}

/** Changes to the cursor of an answer. */
function turnCursor(rule: Armed, ask: Ask, answer: Answer, routes: Routes): Answer {
  if (rule.fault.kind !== 'cursor' || answer.status !== 200) return answer
  const page = parse(answer) as Page
  const [name, next] = cursorOf(page)
  if (next === '') return answer
  switch (rule.fault.how) {
    case 'ignored':
      return answer
    case 'cut': {
      const { [name]: _, ...rest } = page
      return replace(answer, name === 'cursor' ? { ...rest, cursor: '' } : rest)
    }
    case 'junk':
      return replace(answer, { ...page, [name]: 'bm90LWEtY3Vyc29y' })
    case 'skip': {
      const [, after] = cursorOf(parse(routes(at(ask, next))) as Page)
      return replace(answer, { ...page, [name]: after })
    }
    case 'cycle':
      if (rule.cursors.length < rule.fault.pages) {
        rule.cursors.push(next)
        return answer
      }
      return replace(answer, { ...page, [name]: rule.cursors[0] })
  }
}

const BODIES = {
  html: '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>',
  empty: '',
  array: '[]',
  null: 'null',
} as const

/** Book stamps are milliseconds, the others ISO; bookkeeping fields only, never what a market means. */
const STAMPS = /"(updatedAt|last_updated_ts|updated_time|timestamp)":"([^"]+)"/g
const skewed = (body: string, ms: number): string =>
  body.replace(STAMPS, (_, name: string, value: string) => {
    const moved = /^\d+$/.test(value)
      ? String(Number(value) + ms)
      : new Date(Date.parse(value) + ms).toISOString()
    return `"${name}":"${moved}"`
  })

/** Asks the routes with the request as the rules change it, and changes the answer. */
export function answerWith(rules: readonly Armed[], ask: Ask, routes: Routes): Delivery {
  const asked = bend(ask, rules)
  const delivery: Delivery = {
    answer: routes(asked),
    delayMs: 0,
    hang: false,
    truncate: false,
    reset: false,
    dateSkewMs: 0,
  }
  for (const rule of rules) {
    const { fault } = rule
    if (fault.kind === 'status') delivery.answer = statusAnswer(fault)
    else if (fault.kind === 'body')
      delivery.answer = {
        status: 200,
        body: BODIES[fault.body],
        headers: fault.body === 'html' ? { 'content-type': 'text/html; charset=UTF-8' } : {},
      }
    else if (fault.kind === 'slow') delivery.delayMs += fault.ms
    else if (fault.kind === 'hang') delivery.hang = true
    else if (fault.kind === 'reset') delivery.reset = true
    else if (fault.kind === 'truncated_gzip') delivery.truncate = true
    else if (fault.kind === 'huge') delivery.answer = { status: 200, body: Buffer.alloc(fault.bytes, ' ') }
    else if (fault.kind === 'cursor') delivery.answer = turnCursor(rule, asked, delivery.answer, routes)
    else if (fault.kind === 'skew') {
      delivery.dateSkewMs += fault.ms
      delivery.answer = { ...delivery.answer, body: skewed(delivery.answer.body.toString(), fault.ms) }
    } else if (fault.kind === 'rows' && delivery.answer.status === 200)
      delivery.answer = replace(delivery.answer, spoilRows(parse(delivery.answer), fault.row, fault.every))
  }
  return delivery
}

/** 429 and 5xx in the words of venue B; venue A's bodies differ, clients branch on the status. */
function statusAnswer(fault: { status: number; retryAfterS?: number; body?: string }): Answer {
  const body =
    fault.body ??
    JSON.stringify(
      fault.status === 429 ? { error: 'too many requests' } : { code: 'internal', message: 'try again' },
    )
  return {
    status: fault.status,
    body,
    headers: fault.retryAfterS === undefined ? {} : { 'retry-after': String(fault.retryAfterS) },
  }
}
