import { etagOf, isKnown } from '../../http/etag.ts'
import type { Reply } from '../../http/exchange.ts'
import type { Route } from '../../http/router.ts'
import type { Facts } from '../../storefront/facts.ts'
import { PLACES } from '../../storefront/places.ts'
import { SERVICE_NAME } from '../../storefront/service.ts'
import type { Asset } from '../asset.ts'
import { contentHtml } from '../content/html.ts'
import { contentJson } from '../content/json.ts'
import { contentMarkdown } from '../content/markdown.ts'
import { html } from '../html.ts'
import { type Form, preferredForm } from '../negotiate.ts'
import { document, FORM_TYPES, pageReply, pageUnchanged } from '../shell.ts'
import type { SitePage } from './sitePage.ts'

const modeWords = ({ mode, recorded }: Facts): string =>
  `${mode === 'sandbox' ? 'sandbox: no real money' : 'live'}${recorded ? ', recorded markets' : ''}`

/**
 * One page in three forms by `Accept`. The facts stay the same until the process ends: each form is made when it is
 * first asked for, and revalidated by its ETag.
 * @param served every path there is; complete by the time of the first request.
 */
export function siteRoute(
  page: SitePage,
  { facts, scripts, served }: { facts: Facts; scripts: readonly Asset[]; served(): ReadonlySet<string> },
): Route {
  const made = new Map<Form, { etag: string; reply: Reply }>()
  const make = (form: Form) => {
    const text = textOf(page, form, { facts, scripts, served: served() })
    const etag = etagOf(text)
    const done = { etag, reply: pageReply(FORM_TYPES[form], text, etag) }
    made.set(form, done)
    return done
  }
  return {
    method: 'GET',
    path: PLACES[page.place].path,
    handler(request) {
      const form = preferredForm(request.header('accept'))
      const { etag, reply } = made.get(form) ?? make(form)
      if (!isKnown(request.header('if-none-match'), etag)) return reply
      return pageUnchanged(etag)
    },
  }
}

function textOf(
  page: SitePage,
  form: Form,
  { facts, scripts, served }: { facts: Facts; scripts: readonly Asset[]; served: ReadonlySet<string> },
): string {
  const { path, title } = PLACES[page.place]
  const { description } = page
  const content = page.content(facts, served)
  if (form === 'markdown') return contentMarkdown(content, title, `Mode: ${modeWords(facts)}.`)
  if (form === 'json') {
    if (page.json !== undefined) return `${JSON.stringify(page.json(facts))}\n`
    const value = {
      ok: true,
      mode: facts.mode,
      url: `${facts.publicUrl}${path}`,
      title,
      description,
      ...page.data?.(facts),
      ...contentJson(content),
    }
    return `${JSON.stringify(value, null, 2)}\n`
  }
  return document({
    path,
    title: `${title} · ${SERVICE_NAME}`,
    description,
    scripts,
    served,
    url: `${facts.publicUrl}${path}`,
    body: contentHtml(content, title, html`<span class="pill">${modeWords(facts)}</span>`),
  }).text
}
