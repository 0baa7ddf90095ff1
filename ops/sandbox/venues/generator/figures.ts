import { DAY, HOUR } from '../../../units.ts'
import { floorToGrid, type Grid, stepAt, type Top } from '../book.ts'
import { mix } from './dice.ts'
import type { Bone, Instance } from './instance.ts'
import { probabilities } from './latent.ts'
import { noise } from './noise.ts'

/** How often prices move: a share of the events steps in every window. */
export type Pace = { stepMs: number; changeShare: number }

/** What is odd about a market, for its whole life. */
export type Oddity = 'none' | 'dead' | 'crossed' | 'noBid' | 'noAsk' | 'wide' | 'bookGone'

export type Figures = Top & {
  grid: Grid
  oddity: Oddity
  fair: number //        bps, the price the quotes lie around
  last: number //        bps, 0: never traded
  hourAgo: number | null // bps of the fair price then; null: not listed yet
  dayAgo: number | null
  weekAgo: number | null
  monthAgo: number | null
  previous: Top & { last: number } // a day ago; all null and 0 when it was not listed or not traded
  volume24h: number //   hundredths
  volume: number
  openInterest: number
}

const unit = (key: number, salt: number) => mix(key, salt) / 4_294_967_296

/** Largest distance venue B can drift from venue A's price, as a probability. */
const MAX_DRIFT = 0.08
const DRIFT_PERIOD = 40 * 60_000

/** When the event last moved on this venue. Each event has its own phase, so every window sees its share. */
export function stepOf(instance: Instance, venue: 'a' | 'b', pace: Pace, nowMs: number): number {
  const period = Math.max(1, Math.round(pace.stepMs / pace.changeShare))
  const phase = mix(instance.slot.dice.key, venue === 'a' ? 0xa : 0xb) % period
  const at = Math.floor((nowMs + phase) / period) * period - phase
  return Math.min(Math.max(at, instance.openMs), instance.decideMs)
}

function oddityOf(key: number): Oddity {
  const u = unit(key, 0x0dd)
  if (u < 0.1) return 'dead'
  if (u < 0.112) return 'crossed'
  if (u < 0.13) return 'noBid'
  if (u < 0.148) return 'noAsk'
  if (u < 0.165) return 'wide'
  return u < 0.175 ? 'bookGone' : 'none'
}

/** Venue A: tenths of a cent near the ends, else cents; some markets tenths everywhere. */
const gridA = (key: number, fair: number): Grid =>
  fair < 400 || fair > 9_600 || unit(key, 0x91d) < 0.1 ? 'deci' : 'cent'
/** Venue B: fixed for the life of a market. */
export const gridB = (key: number): Grid => {
  const u = unit(key, 0x91d)
  return u < 0.8 ? 'cent' : u < 0.95 ? 'tapered' : 'deci'
}

/** All markets of one venue of an instance at one step: probabilities are computed once for all of them. */
export function figuresOf(
  instance: Instance,
  venue: 'a' | 'b',
  atMs: number,
  markets: readonly Bone[],
): Figures[] {
  const worlds = new Map<number, Float64Array>()
  const { shape, count } = instance
  const fairAt = (market: Bone, whenMs: number): number => {
    const shifted = market.prop >= count
    const id = whenMs * 2 + (shifted ? 1 : 0)
    let world = worlds.get(id)
    if (world === undefined) {
      world = probabilities(shape, count, instance.key, whenMs, shifted)
      worlds.set(id, world)
    }
    const p = world[shifted ? market.prop - count : market.prop]!
    const said = market.flip ? 1 - p : p
    // venues differ most where the outcome is open
    const room = 4 * said * (1 - said)
    const jitter = 0.004 * noise(market.key, whenMs, 5 * 60_000)
    const drift = venue === 'a' ? 0 : driftAt(instance.key, market.prop, whenMs) * (market.flip ? -1 : 1)
    return Math.round(10_000 * Math.min(Math.max(said + room * (jitter + drift), 0.0015), 0.9985))
  }
  return markets.map((market) => {
    const asOfMs = Math.min(atMs, market.decideMs)
    return oneFigure(instance, venue, market, asOfMs, (agoMs) =>
      asOfMs - agoMs < instance.openMs ? null : fairAt(market, asOfMs - agoMs),
    )
  })
}

/** Quiet most of the time, then a swing of up to MAX_DRIFT that grows and vanishes within the hour. */
function driftAt(instanceKey: number, prop: number, atMs: number): number {
  const key = mix(instanceKey, prop + 0xd1f)
  const swing = noise(key, atMs, DRIFT_PERIOD)
  const size = 0.25 + 0.75 * unit(key, 1)
  return Math.sign(swing) * (Math.max(0, Math.abs(swing) - 0.4) / 0.6) * MAX_DRIFT * size
}

/** Quotes around a fair price: spread of one to three ticks, sides taken away or crossed by the oddity. */
function quotesAround(fair: number, grid: Grid, oddity: Oddity, key: number, stepKey: number) {
  const tick = stepAt(grid, fair)
  const ticks = oddity === 'wide' ? Math.ceil(1_300 / tick) : 1 + Math.floor(unit(key, 3) ** 2 * 3)
  const low = floorToGrid(grid, fair - (ticks * tick) / 2 + tick / 2)
  let bid: number | null = low
  let ask: number | null = low
  for (let i = 0; i < ticks; i++) ask += stepAt(grid, ask)
  if (oddity === 'crossed') [bid, ask] = [ask, bid]
  if (oddity === 'noBid' || oddity === 'dead' || bid <= 0 || bid >= 10_000) bid = null
  if (oddity === 'noAsk' || oddity === 'dead' || ask <= 0 || ask >= 10_000) ask = null
  const last = oddity === 'dead' ? 0 : ((unit(stepKey, 5) < 0.5 ? (bid ?? ask) : (ask ?? bid)) ?? 0)
  const size = (salt: number) => 100 + Math.floor(100 * 10 ** (0.3 + 3.4 * unit(stepKey, salt)))
  return { bid, ask, last, bidSize: bid === null ? 0 : size(6), askSize: ask === null ? 0 : size(7) }
}

const NOTHING = { bid: null, ask: null, last: 0, bidSize: 0, askSize: 0 }
/** Day volumes around the limit below which a first price does not count as a move. */
const NEAR_25 = [2_400, 2_499, 2_500, 2_501, 2_600] as const

function oneFigure(
  instance: Instance,
  venue: 'a' | 'b',
  market: Bone,
  atMs: number,
  fairAgo: (agoMs: number) => number | null,
): Figures {
  const { key } = market
  const fair = fairAgo(0) ?? 5_000
  const oddity = oddityOf(key)
  const stepKey = mix(key, Math.floor(atMs / 1_000) | 0)
  const gridFor = (bps: number) => (venue === 'a' ? gridA(key, bps) : gridB(key))
  const grid = gridFor(fair)
  const now = quotesAround(fair, grid, oddity, key, stepKey)
  const dayAgo = fairAgo(DAY)
  const unseen = dayAgo === null || unit(key, 0x9e7) < 0.08
  const previous = unseen ? NOTHING : quotesAround(dayAgo, gridFor(dayAgo), oddity, key, mix(stepKey, 0x24))
  const ageDays = (atMs - instance.openMs) / DAY
  const rate = 100 * 10 ** (1 + 4 * unit(key, 0x701))
  const dead = oddity === 'dead'
  const near25 = unit(key, 0x25) < 0.06 ? NEAR_25[mix(key, 0x26) % NEAR_25.length]! : null
  const swing = 1 + 0.3 * noise(mix(key, 0x27), atMs, 3 * HOUR)
  const total = dead ? 0 : Math.round(rate * Math.max(ageDays, 0.01))
  return {
    ...now,
    grid,
    oddity,
    fair,
    hourAgo: fairAgo(HOUR),
    dayAgo,
    weekAgo: fairAgo(7 * DAY),
    monthAgo: fairAgo(30 * DAY),
    previous,
    volume24h: dead ? 0 : (near25 ?? Math.round(rate * Math.min(1, Math.max(ageDays, 0.01)) * swing)),
    volume: near25 !== null && !dead ? Math.max(total, near25) : total,
    openInterest: Math.round(total * (0.2 + 0.5 * unit(key, 0x28))),
  }
}

/** Which propositions came true. Consistent inside a topic: one winner, thresholds in order. */
export function outcomeOf(instance: Instance, prop: number): boolean {
  const { shape, count } = instance
  const shifted = prop >= count
  const world = probabilities(shape, count, instance.key, instance.decideMs, shifted)
  const index = shifted ? prop - count : prop
  if (shape === 'softmax') return world[index] === Math.max(...world)
  const draw = unit(mix(instance.key, shape === 'free' ? prop : 0), 0x0c)
  return world[index]! > draw
}
