import { z } from 'zod'
import { HOUR } from '../../ops/units.ts'
import { CLOSE_WINDOW_MS } from './marketRules.ts'

/** What a flag does to `suggestedAction`: forbids the trade, holds it back, or only tells. */
export type RiskEffect = 'avoid' | 'watch' | 'note'

/** Every risk flag, gravest first; rows list their flags in this order. Published as it is. */
export const RISK_FLAGS = {
  stale: { effect: 'avoid', meaning: 'Data of a venue is older than its limit.' },
  large_gap_suspicious: {
    effect: 'avoid',
    meaning:
      'Gap or net over 10 cents: nearly always two different contracts, or a game seen at two instants.',
  },
  in_play: { effect: 'watch', meaning: 'The game has started: prices move faster than either listing.' },
  near_resolution: { effect: 'watch', meaning: 'A leg closes or is expected to be decided within an hour.' },
  closes_apart: {
    effect: 'watch',
    meaning: `The two contracts close more than ${CLOSE_WINDOW_MS / HOUR} hours apart.`,
  },
  no_close_time: { effect: 'watch', meaning: 'A venue does not say when its contract closes.' },
  rules_missing: { effect: 'watch', meaning: 'The contract text of a leg is not known.' },
  fees_guessed: { effect: 'watch', meaning: 'A venue named fee terms we do not know; the fee is a guess.' },
  one_venue_dead: { effect: 'watch', meaning: 'A leg was not traded in the last 24 hours.' },
  depth_unknown: {
    effect: 'watch',
    meaning: 'No recent order book of a leg: the edge holds for the listed top only.',
  },
  unconfirmed: {
    effect: 'watch',
    meaning: 'The walked books do not pay at 10 USD what the listed tops promise.',
  },
  thin_top: { effect: 'watch', meaning: 'Less than 10 USD can be traded at the best prices.' },
  wide_spread: {
    effect: 'note',
    meaning: 'Bid and ask of a leg are over 10 cents apart: its mid says little.',
  },
  young_gap: { effect: 'note', meaning: 'The gap opened less than a minute ago.' },
  flickering: { effect: 'note', meaning: 'The gap opened three times or more within an hour.' },
  carve_out_possible: {
    effect: 'note',
    meaning: 'Only one contract text provides for postponement, cancellation or a split payout.',
  },
  settles_differently: {
    effect: 'note',
    meaning:
      'Always: venue A is decided by an oracle vote, venue B by its exchange; a dispute may split them.',
  },
} as const satisfies Record<string, { effect: RiskEffect; meaning: string }>

export type RiskFlag = keyof typeof RISK_FLAGS

export const RISK_FLAG_CODES = Object.keys(RISK_FLAGS) as RiskFlag[]

export const RiskFlag = z.enum(RISK_FLAG_CODES as [RiskFlag, ...RiskFlag[]])
