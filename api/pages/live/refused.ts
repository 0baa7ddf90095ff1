import type { Counted, LiveBoard } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { grouped, titleTag } from './format.ts'

type LookAlike = LiveBoard['refused']['lookAlikes'][number]

/** What is not sold, and why: finding that out is the larger part of the work. */
export const refused = ({ refused: { pairs, cards, lookAlikes } }: LiveBoard): Html =>
  html`${reasons('Not the same question', pairs)}${reasons('The same question, and still no card', cards)}
<div class="alike"><h3>Look-alikes we refused</h3>${
    lookAlikes.length === 0
      ? html`<p class="empty">None is listed yet.</p>`
      : html`<ol>${lookAlikes.map(lookAlike)}</ol>`
  }</div>`

/** Nothing at all when nothing was refused. */
function reasons(title: string, counted: readonly Counted[]): Html | null {
  if (counted.length === 0) return null
  const most = Math.max(...counted.map(({ count }) => count))
  return html`<div><h3>${title}</h3><ul class="bars">${counted.map(
    ({ words, count }) =>
      html`<li><span class="what">${words}</span><span class="num">${grouped(count)}</span><svg viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true"><rect width="${((100 * count) / most).toFixed(1)}" height="3"/></svg></li>`,
  )}</ul></div>`
}

const lookAlike = ({ a, b, why }: LookAlike): Html =>
  html`<li>${side('a', a)}${side('b', b)}<p class="why">${why.join('. ')}.</p></li>`

const side = (venue: 'a' | 'b', { title, url }: LookAlike['a']): Html =>
  html`<p><span class="kind ${venue}">${venue.toUpperCase()}</span> ${
    url === null
      ? titleTag(title)
      : html`<a href="${url}" rel="noopener noreferrer nofollow">${titleTag(title)}</a>`
  }</p>`
