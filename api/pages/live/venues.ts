import type { LiveBoard } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { ageWords, grouped, timeTag } from './format.ts'

/** The age of each venue's data, against the limit beyond which nothing is sold. */
export const venues = (board: LiveBoard): Html => html`${venue('a', board)}${venue('b', board)}`

function venue(name: 'a' | 'b', { venues: { limitMs, ...venues }, clock }: LiveBoard): Html {
  const { asOf, markets } = venues[name]
  const ageMs = clock.ageMs[name]
  const state = ageMs === null ? 'unread' : ageMs <= limitMs ? 'fresh' : 'stale'
  const share = ageMs === null ? 0 : Math.min(100, (100 * ageMs) / limitMs)
  return html`<div class="venue ${state}" data-venue="${name}">
<h3>Venue ${name.toUpperCase()} <span class="state">${STATES[state]}</span></h3>
<p class="age">${ageWords(ageMs)}</p>
<svg class="gauge" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4"/><rect class="level" width="${share.toFixed(1)}" height="4"/></svg>
<p class="note">${asOf !== null && html`as of ${timeTag(asOf)} · `}limit ${ageWords(limitMs)} · ${markets === null ? 'no markets known' : `markets open: ${grouped(markets)}`}</p>
</div>`
}

const STATES = { fresh: 'fresh', stale: 'stale: not sold', unread: 'waiting for its first read' } as const
