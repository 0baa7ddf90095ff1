import type { LiveBoard, LiveMover } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { bandWords, timeTag, titleTag } from './format.ts'

const WINDOWS = [
  ['hour', 'In the last hour'],
  ['day', 'In the last day'],
] as const

/** The largest swings of single markets, by window; a window without any shows a line instead of a list. */
export const movers = ({ movers: { takenAt, rows } }: LiveBoard): Html => {
  if (takenAt === null)
    return html`<p class="empty">No move has been seen yet: the venues need fresh data.</p>`
  const windows = WINDOWS.map(([window, title]) => ({
    title,
    shown: rows.filter((row) => row.window === window),
  }))
  const still = windows.filter(({ shown }) => shown.length === 0)
  return html`${windows.map(({ title, shown }) => html`${shown.length > 0 && list(title, shown)}`)}<p class="note">${still.map(
    ({ title }) => html`${title} nothing moved, as far as the venues say. `,
  )}Seen at ${timeTag(takenAt)} UTC, in bands. Venue B states no hourly change.</p>`
}

const list = (title: string, shown: readonly LiveMover[]): Html =>
  html`<div><h3>${title}</h3><ul class="rows">${shown.map(mover)}</ul></div>`

const mover = ({ venue, topic, direction, band }: LiveMover): Html =>
  html`<li><span class="move ${direction}"><span aria-hidden="true">${direction === 'up' ? '▲' : '▼'}</span> ${direction} ${bandWords(band)}</span><span class="what">${titleTag(topic)} <span class="kind ${venue}">${venue.toUpperCase()}</span></span></li>`
