import { HOUR } from '../../../units.ts'
import { fixedCount, fixedDollars } from '../book.ts'
import type { Out } from '../out.ts'
import { type Figures, outcomeOf } from './figures.ts'
import type { Bone, Instance, Phase } from './instance.ts'
import { iso } from './textA.ts'
import { gridText } from './textB.ts'

const FLAGS = Buffer.from(
  ',"can_close_early":true,"early_close_condition":"This market will close and expire early if the event occurs."' +
    ',"liquidity_dollars":"0.0000","market_type":"binary","notional_value_dollars":"1.0000","settlement_timer_seconds":1800',
)

/** Status in the object, by phase. */
const STATUS: Record<Phase, string> = {
  open: 'active',
  paused: 'inactive',
  pending: 'determined',
  closed: 'finalized',
}
export const statusOf = (phase: Phase): string => STATUS[phase]

/** An empty ask is written as 1.0000, and by one market in five as 0.0000. */
const emptyAsk = (bone: Bone) => (bone.key % 5 === 0 ? 0 : 10_000)

/** One market at one step, complete. Only dollar strings and counts with two decimals. */
export function writeMarketB(
  out: Out,
  instance: Instance,
  bone: Bone,
  text: Buffer,
  figures: Figures,
  phase: Phase,
): void {
  const { bid, ask, last, previous } = figures
  out.bytes(text)
  out.bytes(gridText(bone))
  out.bytes(FLAGS)
  out.ascii(
    `,"status":"${STATUS[phase]}"${resultText(instance, bone, phase)}` +
      `,"last_price_dollars":"${fixedDollars(last)}"` +
      `,"yes_bid_dollars":"${fixedDollars(bid ?? 0)}","yes_bid_size_fp":"${fixedCount(figures.bidSize)}"` +
      `,"yes_ask_dollars":"${fixedDollars(ask ?? emptyAsk(bone))}","yes_ask_size_fp":"${fixedCount(figures.askSize)}"` +
      `,"no_bid_dollars":"${fixedDollars(ask === null ? 0 : 10_000 - ask)}","no_ask_dollars":"${fixedDollars(10_000 - (bid ?? 0))}"` +
      `,"previous_price_dollars":"${fixedDollars(previous.last)}","previous_yes_bid_dollars":"${fixedDollars(previous.bid ?? 0)}","previous_yes_ask_dollars":"${fixedDollars(previous.ask ?? 0)}"` +
      `,"volume_24h_fp":"${fixedCount(figures.volume24h)}","volume_fp":"${fixedCount(figures.volume)}","open_interest_fp":"${fixedCount(figures.openInterest)}"}`,
  )
}

function resultText(instance: Instance, bone: Bone, phase: Phase): string {
  if (phase === 'open' || phase === 'paused') return ',"result":"","expiration_value":""'
  const yes = outcomeOf(instance, bone.prop) !== bone.flip
  const said = `,"result":"${yes ? 'yes' : 'no'}","expiration_value":"${yes ? 'Yes' : 'No'}"`
  return phase === 'pending'
    ? said
    : `${said},"settlement_value_dollars":"${yes ? '1.0000' : '0.0000'}","settlement_ts":"${iso(bone.decideMs + HOUR)}"`
}
