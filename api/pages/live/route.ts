import { isKnown } from '../../http/etag.ts'
import type { Reply } from '../../http/exchange.ts'
import type { Route } from '../../http/router.ts'
import type { Held } from '../../live/held.ts'
import { SERVICE_NAME } from '../../storefront/service.ts'
import type { Asset } from '../asset.ts'
import { type Form, preferredForm } from '../negotiate.ts'
import { document, FORM_TYPES, pageReply, pageUnchanged } from '../shell.ts'
import { liveMarkdown } from './markdown.ts'
import { livePage } from './page.ts'

type LivePorts = {
  held(): Held
  scripts: readonly Asset[]
  served(): ReadonlySet<string>
  publicUrl: string
}

/**
 * `/`, the live board: each form is made at most once per held board, HTML in about 3 ms, however many readers there
 * are.
 */
export function liveRoute({ held, scripts, served, publicUrl }: LivePorts): Route {
  const makers: Record<Form, (of: Held) => string> = {
    html: ({ board }) =>
      document({
        path: '/',
        title: `Live board · ${SERVICE_NAME}`,
        description:
          'Price gaps between two prediction-market venues, live: how old the data is, what moves, what is refused and why.',
        body: livePage(board),
        scripts,
        served: served(),
        url: `${publicUrl}/`,
      }).text,
    markdown: ({ board }) => liveMarkdown(board),
    json: ({ json }) => json,
  }
  let of: Held | null = null
  const made = new Map<Form, Reply>()
  return {
    method: 'GET',
    path: '/',
    handler: (request) => {
      const form = preferredForm(request.header('accept'))
      const now = held()
      if (of !== now) made.clear()
      of = now
      const etag = `${now.etag.slice(0, -1)}-${form}"`
      if (isKnown(request.header('if-none-match'), etag)) return pageUnchanged(etag)
      const known = made.get(form)
      if (known !== undefined) return known
      const reply = pageReply(FORM_TYPES[form], makers[form](now), etag)
      made.set(form, reply)
      return reply
    },
  }
}
