import type { Redis } from 'ioredis'
import { HISTORY_SCHEMA_KEY, HistorySchema } from '../../engine/contract/history.ts'
import type { Clock } from '../../ops/clock.ts'
import { MINUTE } from '../../ops/units.ts'
import { etagOf } from '../http/etag.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply, taggedReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { type Form, preferredForm } from '../pages/negotiate.ts'
import { FORM_TYPES, PAGE_POLICY } from '../pages/shell.ts'
import { PLACES } from '../storefront/places.ts'
import { historyHtml, historyJson, historyMarkdown } from './page.ts'

const HELD_MS = 1 * MINUTE
/** Asked for anew each time, as every page is: it names its style by content, which is another one after an upgrade. */
const HEADERS = [['cache-control', 'no-cache'], ['vary', 'accept'], ...PAGE_POLICY] as const

type Held = { text: string; etag: string }

type HistoryPorts = {
  redis: Redis
  steady: Clock
  paths(): Iterable<string> // every path that is served
  publicUrl: string
}

/**
 * `GET /history`: what analysts find in ClickHouse, as JSON or, by `Accept`, as HTML or markdown. The words are the
 * database's own; an engine puts them into Redis, so no reader of this page ever reaches ClickHouse. All forms are kept
 * for a minute; the answer is 503 until the database has been seen for the first time.
 */
export function historyRoute({ redis, steady, paths, publicUrl }: HistoryPorts): Route {
  let pages: Record<Form, Held> | null = null
  let readMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  const read = async () => {
    const text = await redis.get(HISTORY_SCHEMA_KEY)
    const schema = text === null ? null : HistorySchema.safeParse(JSON.parse(text))
    if (!schema?.success) return //  written by another version of this service: the last text is kept
    pages = {
      html: tagged(historyHtml(schema.data, { served: new Set(paths()), publicUrl })),
      json: tagged(JSON.stringify(historyJson(schema.data))),
      markdown: tagged(historyMarkdown(schema.data)),
    }
    readMs = steady.nowMs()
  }
  const refresh = async () => {
    if (pages !== null && steady.nowMs() - readMs < HELD_MS) return
    reading ??= read()
      .catch(() => {}) //  Redis is away: the last text is shown
      .finally(() => {
        reading = null
      })
    await reading
  }
  return {
    method: 'GET',
    path: PLACES.history.path,
    async handler(request): Promise<Reply> {
      const form = formFor(request.header('accept'))
      const ifNoneMatch = request.header('if-none-match')
      await refresh()
      if (pages === null) return problemReply({ problem: 'no_data', detail: 'history has not been read yet' })
      const { text, etag } = pages[form]
      return taggedReply({ ifNoneMatch, etag, type: FORM_TYPES[form] }, text, HEADERS)
    },
  }
}

const tagged = (text: string): Held => ({ text, etag: etagOf(text) })

/** JSON for callers that do not ask for a form, as it was before there were other forms. */
function formFor(accept: string): Form {
  const form = preferredForm(accept)
  return form === 'html' && !accept.includes('text/') ? 'json' : form
}
