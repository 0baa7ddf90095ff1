import { type Html, html } from '../html.ts'

/** `2026-08-22T01:12:21.000Z` → `01:12:21`; UTC, as the page says. */
export const timeOf = (iso: string): string => iso.slice(11, 19)

/** `2026-08-22T01:12:21.000Z` → `2026-08-22`. */
export const dayOf = (iso: string): string => iso.slice(0, 10)

export const timeTag = (iso: string | null): Html =>
  iso === null ? html`never` : html`<time datetime="${iso}">${timeOf(iso)}</time>`

/** Milliseconds in the two units a reader cares about: `4 s`, `12 min 5 s`, `3 h 20 min`. */
export function ageWords(ms: number | null): string {
  if (ms === null) return 'not read yet'
  const seconds = Math.floor(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 120
    ? two(minutes, 'min', seconds % 60, 's')
    : two(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

const two = (large: number, unit: string, small: number, smallUnit: string) =>
  `${large} ${unit}${small === 0 ? '' : ` ${small} ${smallUnit}`}`

/** `12345` → `12,345`. The same everywhere: a locale would differ between server and browser. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** `5 to 10 cents` → its ends; null when the band says something else. */
export function bandEnds(band: string | null): { from: number; to: number } | null {
  const match = /^(-?\d+) to (-?\d+) cents$/.exec(band ?? '')
  return match === null ? null : { from: Number(match[1]), to: Number(match[2]) }
}

/** The band with the cent sign; a text that is no band is shown unchanged. */
export const bandWords = (band: string | null): string => (band ?? 'no price').replace(/ cents$/, ' ¢')

/** A title from a venue: its language and writing direction do not affect the text around it. */
export const titleTag = (title: string): Html => html`<bdi>${title}</bdi>`

/** `0.5` → `0.50`, `0.001` as it is: to the cent at least. */
export function toTheCent(usdc: string): string {
  const [whole, fraction = ''] = usdc.split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
