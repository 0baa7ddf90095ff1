import type { LiveBoard } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { tryPlace } from '../tryPlace.ts'
import { timeOf } from './format.ts'
import { REGIONS, type RegionId } from './regions.ts'

/** The live board for people: complete as served, kept live by a script where scripts run. */
export function livePage(board: LiveBoard): Html {
  const region = (id: RegionId, kind: 'pair' | 'inline' | null = null): Html =>
    html`<div id="${id}"${kind !== null && html` class="${kind}"`}>${REGIONS[id].render(board)}</div>`
  return html`<section class="lead" aria-labelledby="h-top">
<h1 id="h-top">The same question, two prices</h1>
<p>Two prediction-market venues list thousands of questions. We find those that are truly the same, show how far apart their prices are, and refuse the rest. What follows is free: gaps, movers and the feed, minutes late and in bands five or ten cents wide; <a href="/catalog#try">exact figures</a> cost a fraction of a cent.</p>
<div class="status"><span id="connection" class="pill" role="status"><span class="scripted">Connecting</span><noscript>As of ${timeOf(board.clock.now)} UTC; reload for newer</noscript></span> ${region('selling', 'inline')}</div>
</section>
<section aria-labelledby="h-venues"><h2 id="h-venues">Age of the data</h2>${region('venues', 'pair')}${region('figures')}</section>
<div class="split">
<section aria-labelledby="h-gaps"><h2 id="h-gaps">Widest gaps</h2>
<p class="note">The middle of bid and ask for a yes, on each venue. Wide gaps are mostly traps: see what is refused. Exact figures are sold: <a href="${tryPlace('/x402/v1/spread')}">spread</a>, <a href="${tryPlace('/x402/v1/net')}">net</a>, <a href="${tryPlace('/x402/v1/edge')}">edge after fees</a>.</p>
${region('gaps')}</section>
<section aria-labelledby="h-ticker"><h2 id="h-ticker">Feed</h2><p class="note">Gaps and edges that opened, changed or closed. Sold as it happens: <a href="${tryPlace('/x402/v1/bot-fuel')}">gap cards</a>.</p>${region('ticker')}</section>
</div>
<section aria-labelledby="h-movers"><h2 id="h-movers">Movers</h2><p class="note">A market’s own price change, as its venue states it. Exact figures are sold: <a href="${tryPlace('/x402/v1/move')}">move</a>.</p>${region('movers', 'pair')}</section>
<section aria-labelledby="h-refused"><h2 id="h-refused">What is refused, and why</h2><p class="note">A pair that only looks alike costs its buyer money. These were proposed because of their words and refused because of what they say.</p>${region('refused', 'pair')}</section>
<section aria-labelledby="h-goods"><h2 id="h-goods">What is sold</h2><p class="note">A GET without payment answers 402 with the terms. Sign, repeat, and the answer comes with a receipt; a refusal charges nothing. See it step by step: <a href="/catalog#try">try one</a>. This page as data: <a href="/live.json">live.json</a>, as a stream: <a href="/live">live</a>.</p>${region('goods')}</section>
`
}
