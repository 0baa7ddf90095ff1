import { readFileSync } from 'node:fs'
import type { Reply } from '../http/exchange.ts'
import { PLACES, type PlaceName } from '../storefront/places.ts'
import { SERVICE_NAME } from '../storefront/service.ts'
import { type Asset, asset } from './asset.ts'
import { type Html, html } from './html.ts'
import type { Form } from './negotiate.ts'

const own = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

export const STYLE: Asset = asset('style', 'css', own('style.css'))
export const ICON: Asset = asset('icon', 'svg', own('icon.svg'))

/** Media types of a page's forms. */
export const FORM_TYPES: Readonly<Record<Form, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  json: 'application/json',
}

/** Nothing but our own files, no inline script or style, no frame around us, no form to anywhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What a browser may do with a page of ours. */
export const PAGE_POLICY: Reply['headers'] = [
  ['content-security-policy', POLICY],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
]

/** Links from every page, in this order; a place that is not served is left out. */
const NAVIGATION: readonly PlaceName[] = [
  'live',
  'catalog',
  'quickstart',
  'agents',
  'terms',
  'docs',
  'receipts',
  'history',
]

/** Places that are looked for less often, and those that programs read. */
const MORE: readonly PlaceName[] = [
  'checkoutHelp',
  'errors',
  'localTool',
  'openapi',
  'llms',
  'skill',
  'services',
  'rails',
  'audit',
]

export type Page = {
  path: string //        of this page, among PLACES or not
  title: string //       of the window, with the service's name
  description: string
  body: Html
  scripts?: readonly Asset[] // modules; the last is the one that runs
  served: ReadonlySet<string> // every path there is
  /** Its one address, whatever name it was reached by, for search engines and for previews of a link. Absent: it has none. */
  url?: string
}

/** One page of ours as a whole document: landmarks, a link past the navigation, one style sheet. */
export const document = ({ path, title, description, body, scripts = [], served, url }: Page): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
${url !== undefined && previewHtml({ url, title, description })}
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${STYLE.path}">
<link rel="icon" href="${ICON.path}" type="image/svg+xml">
${scripts.slice(0, -1).map((script) => html`<link rel="modulepreload" href="${script.path}">\n`)}${scripts
  .slice(-1)
  .map((script) => html`<script type="module" src="${script.path}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/">${SERVICE_NAME}</a><nav aria-label="Pages">${placesHtml(NAVIGATION, served, path)}</nav></header>
<main id="main" tabindex="-1">
${body}
</main>
<footer class="bottom"><nav aria-label="More">${placesHtml(MORE, served, path)}</nav><p>Prices in USD, paid in USDC over x402, one read at a time: no account, no key. A refusal charges nothing. No cookies, no trackers, nothing from elsewhere.</p></footer>
</body>
</html>
`

/** Open Graph, which every messenger and forum reads. */
const previewHtml = ({
  url,
  title,
  description,
}: {
  url: string
  title: string
  description: string
}): Html =>
  html`<link rel="canonical" href="${url}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${SERVICE_NAME}">
<meta property="og:url" content="${url}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta name="twitter:card" content="summary">`

const placesHtml = (names: readonly PlaceName[], served: ReadonlySet<string>, here: string): Html =>
  html`<ul>${names
    .map((name) => PLACES[name])
    .filter(({ path }) => served.has(path))
    .map(
      ({ path, title }) =>
        html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${title}</a></li>`,
    )}</ul>`

/** A page as it is sent. Its form depends on `Accept`, and caches are told so. */
export const pageReply = (type: string, text: string, etag: string): Reply => ({
  status: 200,
  headers: [['content-type', type], ...pageHeaders(etag)],
  body: text,
})

/** To a caller that has this version of the page. */
export const pageUnchanged = (etag: string): Reply => ({ status: 304, headers: pageHeaders(etag), body: '' })

const pageHeaders = (etag: string): Reply['headers'] => [
  ['vary', 'accept'],
  ['cache-control', 'no-cache'],
  ['etag', etag],
  ...PAGE_POLICY,
]
