import type { Reply } from '../http/exchange.ts'
import { NO_STORE } from '../http/respond.ts'
import { type Html, html } from '../pages/html.ts'
import { ICON, STYLE } from '../pages/shell.ts'
import { SERVICE_NAME } from '../storefront/service.ts'
import type { CheckoutStatus } from './show.ts'

/** The page to which the card provider returns a person: it holds what was bought, so nothing may cache or share it. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const LOOK_AGAIN_S = 4

const HEADLINES: Record<CheckoutStatus['status'], string> = {
  open: 'Not paid yet',
  paid: 'Paid, thank you',
  expired: 'This checkout has ended unpaid',
  refunded: 'The money went back',
}

export function checkoutPage(status: CheckoutStatus): Reply {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${HEADLINES[status.status]} · ${SERVICE_NAME}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${(status.status === 'open' || isWaiting(status)) && html`<meta http-equiv="refresh" content="${LOOK_AGAIN_S}">\n`}<link rel="stylesheet" href="${STYLE.path}">
<link rel="icon" href="${ICON.path}" type="image/svg+xml">
</head>
<body>
<header class="top"><a class="brand" href="/" rel="noreferrer">${SERVICE_NAME}</a></header>
<main id="main">
<section class="lead" aria-labelledby="h-top">
<h1 id="h-top">${HEADLINES[status.status]}</h1>
<p id="order">${status.sku}, ${status.priceUsd.toFixed(2)} USD</p>
${status.mode === 'sandbox' && html`<div class="status"><span class="pill">sandbox: no real money</span></div>\n`}</section>
<div class="prose sections">
${body(status)}
</div>
</main>
</body>
</html>
`
  return {
    status: 200,
    headers: [
      ['content-type', 'text/html; charset=utf-8'],
      NO_STORE,
      ['vary', 'accept'],
      ['content-security-policy', POLICY],
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
    ],
    body: text,
  }
}

const isWaiting = ({ status, awaiting, result }: CheckoutStatus): boolean =>
  status === 'paid' && awaiting === undefined && result === undefined

function body({ status, awaiting, checkoutUrl, result }: CheckoutStatus): Html {
  if (status === 'open')
    return html`<p>${checkoutUrl !== null && html`<a id="pay" href="${checkoutUrl}" rel="noreferrer">Pay by card</a>. `}This page reloads by itself.</p>
<p>Some banks take days. Once you have paid there, do not pay again: it shows here when it arrives.</p>`
  if (status === 'expired') return html`<p>Nothing was charged. A new checkout can be opened at any time.</p>`
  if (status === 'refunded') return html`<p>What was bought here no longer works.</p>`
  if (awaiting !== undefined)
    return html`<p>One thing is missing: what to work on. Your agent sends it to this address as X-Service-Payload.</p>`
  if (result === undefined)
    return html`<p>What you bought is being made from current data. This page reloads by itself.</p>`
  return html`<p>Keep this page's address to yourself: it shows what you bought for a day.</p>
<figure class="code"><figcaption>What you bought, and its receipt</figcaption><pre id="result" tabindex="0" role="region" aria-label="What you bought, and its receipt">${JSON.stringify(result, null, 2)}</pre></figure>`
}
