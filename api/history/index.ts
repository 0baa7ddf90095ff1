import type { Redis } from 'ioredis'
import { HISTORY_SCHEMA_KEY, HistorySchema } from '../../engine/contract/history.ts'
import type { Clock } from '../../ops/clock.ts'
import { MINUTE } from '../../ops/units.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { preferredForm } from '../pages/negotiate.ts'
import { historyJson, historyMarkdown } from './page.ts'

const HELD_MS = 1 * MINUTE
const HEADERS = [
  ['cache-control', 'public, max-age=300'],
  ['vary', 'accept'],
] as const

type Pages = { json: string; markdown: string }

/**
 * `GET /history`: what analysts find in ClickHouse, as JSON or, by `Accept`, as markdown. The words are the database's own, put into Redis by an engine: no reader of this page ever reaches ClickHouse. Both
 * pages are held for a minute; 503 until the database was seen for the first time.
 */
export function historyRoute({ redis, clock }: { redis: Redis; clock: Clock }): Route {
  let pages: Pages | null = null
  let readMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  const read = async () => {
    const text = await redis.get(HISTORY_SCHEMA_KEY)
    const schema = text === null ? null : HistorySchema.safeParse(JSON.parse(text))
    if (!schema?.success) return //  of another version of this service: the last one stays
    pages = { json: JSON.stringify(historyJson(schema.data)), markdown: historyMarkdown(schema.data) }
    readMs = clock.nowMs()
  }
  const refresh = async () => {
    if (pages !== null && clock.nowMs() - readMs < HELD_MS) return
    reading ??= read()
      .catch(() => {}) //  Redis away: what is held is shown
      .finally(() => {
        reading = null
      })
    await reading
  }
  return {
    method: 'GET',
    path: '/history',
    async handler(request): Promise<Reply> {
      const type = typeFor(request.header('accept'))
      await refresh()
      if (pages === null) return problemReply({ problem: 'no_data', detail: 'history has not been seen yet' })
      const headers = [['content-type', type], ...HEADERS] as const
      return { status: 200, headers, body: type === 'application/json' ? pages.json : pages.markdown }
    },
  }
}

/** JSON to those who do not say; markdown, which a browser shows as plain text, to those who want to read. */
function typeFor(accept: string): string {
  const form = preferredForm(accept)
  if (form === 'markdown') return 'text/markdown; charset=utf-8'
  return form === 'html' && accept.includes('text/') ? 'text/plain; charset=utf-8' : 'application/json'
}
