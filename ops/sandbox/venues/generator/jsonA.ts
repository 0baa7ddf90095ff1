import { DAY } from '../../../units.ts'
import { shortDollars, stepAt } from '../book.ts'
import type { Out } from '../out.ts'
import { type Figures, outcomeOf } from './figures.ts'
import { marketSlug } from './ids.ts'
import type { Bone, Instance, Phase } from './instance.ts'
import { gameTime, iso, stampA, type TextA } from './textA.ts'

/** Venue A leaves out numbers that are zero. */
const num = (name: string, text: string) => (text === '0' ? '' : `,"${name}":${text}`)
/** Writing doubles is the most expensive part of a page; prices and cents are few enough to be written once. */
const DOLLARS = Array.from({ length: 10_001 }, (_, bps) => String(bps / 10_000))
const CENTS = Array.from({ length: 100 }, (_, cents) => String(cents / 100).slice(1))
const dollars = (bps: number): string =>
  bps < 0 ? `-${DOLLARS[-bps] ?? -bps / 10_000}` : (DOLLARS[bps] ?? String(bps / 10_000))
/** Whole hundredths to the shortest decimal: 1250 → `12.5`. */
const usd = (hundredths: number): string => {
  const whole = Math.floor(hundredths / 100)
  return `${whole}${CENTS[hundredths - whole * 100]}`
}

const DESCRIPTION = Buffer.from(',"description":')
const FLAGS = Buffer.from(
  ',"marketMakerAddress":"","new":false,"featured":false,"archived":false,"restricted":true,"enableOrderBook":true' +
    ',"orderMinSize":5,"hasReviewedDates":true,"umaBond":"500","umaReward":"5","customLiveness":0,"negRiskRequestID":""' +
    ',"ready":false,"funded":false,"cyom":false,"pagerDutyNotificationEnabled":false,"approved":true,"rewardsMinSize":50' +
    ',"rewardsMaxSpread":3.5,"automaticallyActive":true,"clearBookOnStart":true,"showGmpSeries":false,"showGmpOutcome":false' +
    ',"manualActivation":false,"pendingDeployment":false,"deploying":false,"rfqEnabled":false,"holdingRewardsEnabled":false' +
    ',"requiresTranslation":false,"makerBaseFee":1000,"takerBaseFee":1000' +
    ',"submitted_by":"0x91430CaD2d3975766499717fA0D66A78D814E5c5","resolvedBy":"0x65070BE91477460D8A7AeEb94ef92fe056C2f2A7"',
)

/** What all markets of an event share at one step. */
export type Step = { ageDays: number; stamp: string; week: number }

export const stepA = (instance: Instance, stepMs: number, nowMs: number): Step => ({
  ageDays: Math.max(0.01, (stepMs - instance.openMs) / DAY),
  stamp: stampA(stepMs),
  week: weekOf(nowMs),
})

export const weekOf = (ms: number): number => Math.floor(ms / (7 * DAY))

/** The displayed price: middle of bid and ask; the last trade where they lie more than ten cents apart. */
function displayedBps({ bid, ask, last }: Pick<Figures, 'bid' | 'ask' | 'last'>): number {
  if (bid !== null && ask !== null && Math.abs(ask - bid) <= 1_000) return (bid + ask) / 2
  return last === 0 ? 5_000 : last
}

/** Changes are stated in tenths of a cent. */
const tenths = (bps: number) => Math.round(bps / 10) * 10

/** One market at one step, complete. */
export function writeMarketA(
  out: Out,
  instance: Instance,
  text: TextA,
  index: number,
  figures: Figures,
  phase: Phase,
  step: Step,
): void {
  const bone = instance.a[index]!
  const words = text.markets[index]!
  const { bid, ask, last } = figures
  const closed = phase === 'closed'
  const yes = closed ? (outcomeOf(instance, bone.prop) !== bone.flip ? 10_000 : 0) : displayedBps(figures)
  out.bytes(words.head)
  out.bytes(DESCRIPTION)
  out.bytes(words.rules ?? text.rules)
  out.bytes(text.shared)
  out.bytes(FLAGS)
  out.ascii(
    `,"slug":"${marketSlug(words.slugStem, bone.key, step.week)}","active":true,"closed":${closed},"acceptingOrders":${phase === 'open'}` +
      `,"outcomePrices":"[\\"${shortDollars(yes)}\\", \\"${shortDollars(10_000 - yes)}\\"]","updatedAt":"${step.stamp}"` +
      `,"orderPriceMinTickSize":${dollars(stepAt(figures.grid, figures.fair))},"competitive":${(1 - Math.abs(0.5 - yes / 10_000)).toFixed(4)}` +
      volumes(figures, step.ageDays) +
      changes(figures) +
      `${num('lastTradePrice', dollars(last))}${num('bestBid', dollars(bid ?? 0))},"bestAsk":${dollars(ask ?? 10_000)}` +
      `,"spread":${dollars((ask ?? 10_000) - (bid ?? 0))}${resolution(bone, phase)}}`,
  )
}

function volumes({ volume, volume24h, bidSize, askSize, oddity }: Figures, ageDays: number): string {
  if (oddity === 'dead') return ''
  const total = usd(volume)
  const liquidity = usd(bidSize * 7 + askSize * 5)
  const over = (days: number) => usd(Math.round(volume * Math.min(1, days / ageDays)))
  const both = (name: string, text: string) => num(name, text) + num(`${name}Clob`, text)
  return (
    `,"volume":"${total}","volumeNum":${total},"volumeClob":${total}` +
    (liquidity === '0'
      ? ''
      : `,"liquidity":"${liquidity}","liquidityNum":${liquidity},"liquidityClob":${liquidity}`) +
    both('volume24hr', usd(volume24h)) +
    both('volume1wk', over(7)) +
    both('volume1mo', over(30)) +
    both('volume1yr', over(365))
  )
}

function changes({ fair, hourAgo, dayAgo, weekAgo, monthAgo, oddity }: Figures): string {
  if (oddity === 'dead') return ''
  const change = (name: string, then: number | null) =>
    then === null ? '' : num(name, dollars(tenths(fair) - tenths(then)))
  return (
    change('oneHourPriceChange', hourAgo) +
    change('oneDayPriceChange', dayAgo) +
    change('oneWeekPriceChange', weekAgo) +
    change('oneMonthPriceChange', monthAgo)
  )
}

function resolution({ decideMs }: Bone, phase: Phase): string {
  if (phase === 'closed')
    return `,"closedTime":"${gameTime(decideMs)}","umaEndDate":"${iso(decideMs)}","umaResolutionStatus":"resolved","umaResolutionStatuses":"[\\"proposed\\", \\"resolved\\"]","automaticallyResolved":true`
  return phase === 'pending'
    ? ',"umaResolutionStatus":"proposed","umaResolutionStatuses":"[\\"proposed\\"]"'
    : ',"umaResolutionStatuses":"[]"'
}

/** The figures of an event: sums over its markets, numbers here and not strings. */
export function eventFiguresA(
  figures: readonly Figures[],
  closed: boolean,
  { ageDays, stamp }: Step,
): string {
  let volume = 0
  let volume24h = 0
  let interest = 0
  let liquidity = 0
  for (const market of figures) {
    volume += market.volume
    volume24h += market.volume24h
    interest += market.openInterest
    liquidity += market.bidSize * 7 + market.askSize * 5
  }
  const over = (days: number) => usd(Math.round(volume * Math.min(1, days / ageDays)))
  return (
    `,"active":true,"closed":${closed},"updatedAt":"${stamp}","commentCount":0,"competitive":0.9` +
    `${num('liquidity', usd(liquidity))}${num('liquidityClob', usd(liquidity))}${num('volume', usd(volume))}${num('volume24hr', usd(volume24h))}` +
    `${num('volume1wk', over(7))}${num('volume1mo', over(30))}${num('volume1yr', over(365))}${num('openInterest', usd(interest))}`
  )
}
