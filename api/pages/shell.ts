import { readFileSync } from 'node:fs'
import type { Reply } from '../http/exchange.ts'
import { type Asset, asset } from './asset.ts'
import { type Html, html } from './html.ts'

const own = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

export const STYLE: Asset = asset('style', 'css', own('style.css'))
export const ICON: Asset = asset('icon', 'svg', own('icon.svg'))

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

/** Where one can go from any page, in this order; a place that is not served yet is left out. */
const PLACES = [
  ['/', 'Live board'],
  ['/catalog', 'Catalog'],
  ['/quickstart', 'Quickstart'],
  ['/agents', 'For agents'],
  ['/docs', 'Docs'],
  ['/history', 'History'],
  ['/receipt-oracle', 'Receipts'],
  ['/openapi.json', 'OpenAPI'],
  ['/llms.txt', 'llms.txt'],
] as const

export type Page = {
  path: string //        of this page, among PLACES or not
  title: string
  description: string
  body: Html
  scripts?: readonly Asset[] // modules; the last is the one that runs
  served: ReadonlySet<string> // every path there is
}

/** One page of ours as a whole document: landmarks, a way past the navigation, one style sheet. */
export const document = ({ path, title, description, body, scripts = [], served }: Page): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${STYLE.path}">
<link rel="icon" href="${ICON.path}" type="image/svg+xml">
${scripts.slice(0, -1).map((script) => html`<link rel="modulepreload" href="${script.path}">\n`)}${scripts
  .slice(-1)
  .map((script) => html`<script type="module" src="${script.path}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/">Agent micro-data</a><nav aria-label="Pages"><ul>${PLACES.filter(
    ([place]) => served.has(place),
  ).map(
    ([place, name]) =>
      html`<li><a href="${place}"${place === path && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav></header>
<main id="main" tabindex="-1">
${body}
</main>
<footer class="bottom"><p>Every figure on this page is free, late and in bands. Exact figures are sold one read at a time over x402: no account, no key. No cookies, no trackers, nothing from elsewhere.</p></footer>
</body>
</html>
`

/** A page as it is sent. Which form it has depends on `Accept`, and caches are told so. */
export const pageReply = (type: string, text: string, etag: string): Reply => ({
  status: 200,
  headers: [['content-type', type], ...pageHeaders(etag)],
  body: text,
})

export const pageHeaders = (etag: string): Reply['headers'] => [
  ['vary', 'accept'],
  ['cache-control', 'no-cache'],
  ['etag', etag],
  ['content-security-policy', POLICY],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
]
