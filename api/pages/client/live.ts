import type { LiveBoard } from '../../live/liveBoard.ts'
import { timeOf } from '../live/format.ts'
import { REGIONS, type Region } from '../live/regions.ts'
import { advanced, instant, msSince } from './clock.ts'
import type { Browser, BrowserEventSource } from './dom.ts'
import { redraw } from './redraw.ts'

/*
 * Keeps the page live. The board comes whole first, then only the sections that changed, with heartbeats that carry the
 * clock in between. Silence means that the connection is gone, even when the browser has not noticed. What is heard after
 * a silence may have waited for a page that stood still, nobody knows how long: it is not believed, but asked for anew.
 */
const SILENT_MS = 12_000
const TRY_AGAIN_MS = 3_000
const CLOSED = 2 //  EventSource does not try again, after an answer that was no stream

const browser = globalThis as unknown as Browser
const { document } = browser

let board: LiveBoard | null = null
let source: BrowserEventSource | null = null
let heardAt = instant() //  of the last event
let triedAt = instant()

const elements = Object.entries<Region>(REGIONS).map(([id, region]) => ({
  region,
  element: document.getElementById(id),
  shown: '',
}))

function draw(changed: (section: string) => boolean): void {
  if (board === null) return
  const now: LiveBoard = { ...board, clock: advanced(board.clock, msSince(heardAt)) }
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
  //  by the clock that the page shows everything by: the visitor's own may be wrong
  const time = board === null ? 'the time this page was made' : `${timeOf(board.clock.now)} UTC`
  const words = lost ? `Connection lost, showing data of ${time}. Trying again.` : 'Live'
  if (element.textContent === words) return
  element.textContent = words
  element.setAttribute('class', lost ? 'pill shut' : 'pill open')
}

function hear(news: Partial<LiveBoard>): void {
  board = board === null ? (news as LiveBoard) : { ...board, ...news }
  heardAt = instant()
  tellConnection(false)
  draw((section) => section in news)
}

const isSilent = (): boolean => Math.min(msSince(heardAt), msSince(triedAt)) > SILENT_MS

/** A board, or news and heartbeats: those say nothing without a board that they belong to. */
function take(news: Partial<LiveBoard>, isWhole: boolean): void {
  if (isSilent()) beginAnew()
  else if (isWhole || board !== null) hear(news)
}

function beginAnew(): void {
  tellConnection(true)
  connect()
}

function connect(): void {
  source?.close()
  triedAt = instant()
  source = new browser.EventSource('/live')
  source.addEventListener('board', ({ data }) => take(JSON.parse(data), true))
  source.addEventListener('change', ({ data }) => take(JSON.parse(data), false))
  source.addEventListener('clock', ({ data }) => take({ clock: JSON.parse(data) }, false))
  source.addEventListener('error', () => tellConnection(true))
}

browser.setInterval(() => {
  draw((section) => section === 'clock')
  if (isSilent()) beginAnew()
  else if (source?.readyState === CLOSED && msSince(triedAt) > TRY_AGAIN_MS) connect()
}, 1_000)

connect()
