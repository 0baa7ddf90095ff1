import type { Reply } from '../http/exchange.ts'
import type { Route } from '../http/router.ts'
import type { Held } from '../live/index.ts'
import { assetRoute } from './asset.ts'
import { browserModules } from './browserModules.ts'
import { liveMarkdown } from './live/markdown.ts'
import { livePage } from './live/page.ts'
import { type Form, preferredForm } from './negotiate.ts'
import { document, ICON, pageHeaders, pageReply, STYLE } from './shell.ts'

/**
 * Pages for people and their assets. `/` in three forms: HTML, markdown and JSON, by `Accept`. Each form is made at most
 * once for what is held, HTML in about 3 ms, whoever asks.
 * @param paths every path that is served: a page links only to what there is.
 */
export function openPages({ held, paths }: { held(): Held; paths(): Iterable<string> }): Route[] {
  const scripts = browserModules(new URL('client/live.ts', import.meta.url))
  const makers: Record<Form, (of: Held) => { type: string; text: string }> = {
    html: ({ board }) => ({
      type: 'text/html; charset=utf-8',
      text: document({
        path: '/',
        title: 'Live board · Agent micro-data',
        description:
          'Price gaps between two prediction-market venues, live: how old the data is, what moves, what is refused and why.',
        body: livePage(board),
        scripts,
        served: new Set(paths()),
      }).text,
    }),
    markdown: ({ board }) => ({ type: 'text/markdown; charset=utf-8', text: liveMarkdown(board) }),
    json: ({ json }) => ({ type: 'application/json', text: json }),
  }
  let of: Held | null = null
  const made = new Map<Form, Reply>()

  const live: Route = {
    method: 'GET',
    path: '/',
    handler: (request) => {
      const form = preferredForm(request.header('accept'))
      const now = held()
      if (of !== now) made.clear()
      of = now
      const etag = `${now.etag.slice(0, -1)}-${form}"`
      if (request.header('if-none-match') === etag)
        return { status: 304, headers: pageHeaders(etag), body: '' }
      const known = made.get(form)
      if (known !== undefined) return known
      const { type, text } = makers[form](now)
      const reply = pageReply(type, text, etag)
      made.set(form, reply)
      return reply
    },
  }
  return [live, ...[STYLE, ICON, ...scripts].map(assetRoute)]
}
