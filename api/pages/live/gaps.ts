import type { LiveBoard, LiveGap } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { bandEnds, bandWords, timeTag, titleTag } from './format.ts'

//  a phone lays the rows out as blocks, which removes the table semantics, so the roles are written explicitly
/** The widest gaps, each price as a band on the scale from 0 to 100 cents. */
export const gaps = ({ gaps: { takenAt, rows } }: LiveBoard): Html =>
  rows.length === 0
    ? html`<p class="empty">No gap has been seen yet: both venues need fresh data.</p>`
    : html`<table role="table" class="gaps">
<caption>Seen at ${timeTag(takenAt)} UTC, in bands. Where B asks the opposite, its no is compared.</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Question</th><th role="columnheader" scope="col">Gap</th><th role="columnheader" scope="col">Yes on A</th><th role="columnheader" scope="col">Yes on B</th><th role="columnheader" scope="col">0 to 100 ¢</th></tr></thead>
<tbody role="rowgroup">${rows.map(row)}</tbody></table>`

const row = ({ topic, category, gapBand, yesBandA, yesBandB, opposite }: LiveGap): Html => {
  const b = opposite ? mirrored(yesBandB) : yesBandB
  return html`<tr role="row"><th role="rowheader" scope="row">${titleTag(topic)}${
    category !== null && html` <span class="kind">${category.slice(0, 40)}</span>`
  }</th><td role="cell" class="gap">${bandWords(gapBand)}</td><td role="cell" class="a" data-label="A">${bandWords(yesBandA)}</td><td role="cell" class="b" data-label="B">${bandWords(b)}${
    opposite && html` <abbr title="B asks the opposite: this is its no">no</abbr>`
  }</td><td role="cell" class="scale">${scale(yesBandA, b)}</td></tr>`
}

/** The band of the no price, when the venue asks the opposite: what is left of a dollar. */
function mirrored(band: string | null): string | null {
  const ends = bandEnds(band)
  return ends && `${100 - ends.to} to ${100 - ends.from} cents`
}

/** Two bands over one axis; the cells beside it say the same in words. */
const scale = (a: string | null, b: string | null): Html =>
  html`<svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><path class="axis" d="M0 6H100M0 0V12M50 0V12M100 0V12"/>${bar('a', a, 0)}${bar('b', b, 7)}</svg>`

function bar(venue: 'a' | 'b', band: string | null, top: number): Html | null {
  const ends = bandEnds(band)
  return (
    ends &&
    html`<rect class="${venue}" x="${ends.from}" y="${top}" width="${ends.to - ends.from}" height="5"/>`
  )
}
