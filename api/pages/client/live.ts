import type { LiveBoard } from '../../live/liveBoard.ts'
import { timeOf } from '../live/format.ts'
import { REGIONS, type Region } from '../live/regions.ts'
import { advanced } from './clock.ts'
import type { Browser, BrowserEventSource } from './dom.ts'
import { redraw } from './redraw.ts'

/*
 * Keeps the page live. The board comes whole first, then only the sections that changed, with heartbeats that carry the
 * clock in between. Silence means that the connection is gone, even when the browser has not noticed.
 */
const SILENT_MS = 12_000
const TRY_AGAIN_MS = 3_000
const CLOSED = 2 //  EventSource does not try again, after an answer that was no stream

const browser = globalThis as unknown as Browser
const { document, performance } = browser

let board: LiveBoard | null = null
let source: BrowserEventSource | null = null
let heardAt = 0 //     performance.now() of the last event: a steady clock
let heardTime = '' //  the same as a time of day, to be shown
let triedAt = 0

const elements = Object.entries<Region>(REGIONS).map(([id, region]) => ({
  region,
  element: document.getElementById(id),
  shown: '',
}))

function draw(changed: (section: string) => boolean): void {
  if (board === null) return
  const now: LiveBoard = { ...board, clock: advanced(board.clock, performance.now() - heardAt) }
  for (const each of elements) {
    if (each.element === null || !each.region.needs.some(changed)) continue
    const { text } = each.region.render(now)
    if (text !== each.shown) redraw(each.element, text)
    each.shown = text
  }
}

function tellConnection(lost: boolean): void {
  const element = document.getElementById('connection')
  if (element === null) return
  const words = lost
    ? `Connection lost, showing data of ${heardTime || 'the time this page was made'}. Trying again.`
    : 'Live'
  if (element.textContent === words) return
  element.textContent = words
  element.setAttribute('class', lost ? 'pill shut' : 'pill open')
}

function hear(news: Partial<LiveBoard>): void {
  board = board === null ? (news as LiveBoard) : { ...board, ...news }
  heardAt = performance.now()
  heardTime = `${timeOf(new Date().toISOString())} UTC`
  tellConnection(false)
  draw((section) => section in news)
}

function connect(): void {
  source?.close()
  triedAt = performance.now()
  source = new browser.EventSource('/live')
  source.addEventListener('board', ({ data }) => hear(JSON.parse(data)))
  source.addEventListener('change', ({ data }) => board !== null && hear(JSON.parse(data)))
  source.addEventListener('clock', ({ data }) => board !== null && hear({ clock: JSON.parse(data) }))
  source.addEventListener('error', () => tellConnection(true))
}

browser.setInterval(() => {
  draw((section) => section === 'clock')
  const now = performance.now()
  const silent = now - Math.max(heardAt, triedAt) > SILENT_MS
  if (silent) tellConnection(true)
  if (silent || (source?.readyState === CLOSED && now - triedAt > TRY_AGAIN_MS)) connect()
}, 1_000)

connect()
