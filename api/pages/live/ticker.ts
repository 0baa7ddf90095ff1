import type { LiveBoard, TickerEvent } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { ageWords, bandWords, grouped, timeTag, titleTag } from './format.ts'

/** Events of the feed, shown with a delay. */
export const ticker = ({ ticker: { delayMs, spanMs, counts, events } }: LiveBoard): Html =>
  html`<p class="note">${grouped(counts.opened)} opened, ${grouped(counts.changed)} changed, ${grouped(counts.closed)} closed within ${ageWords(spanMs)}; a few of each minute. At least ${ageWords(delayMs)} late.</p>${
    events.length === 0
      ? html`<p class="empty">Nothing is old enough to be shown yet.</p>`
      : html`<ol class="rows">${events.map(event)}</ol>`
  }`

const ABOUT = { gaps: 'gap', edges: 'edge' } as const

const event = ({ kind, at, about, topic, band }: TickerEvent): Html =>
  html`<li class="${kind}"><span class="when">${timeTag(at)}</span><span class="what"><b>${ABOUT[about]} ${kind}</b> ${titleTag(topic)} <span class="num">${bandWords(band)}</span></span></li>`
