import type { EdgeRow } from '../../contract/edges.ts'
import { RISK_FLAGS, type RiskEffect, type RiskFlag } from '../../contract/riskFlags.ts'

/** An edge smaller than this can be lost to rounding, one tick or a moved quote. */
export const MIN_EDGE_CENTS = 0.5

/**
 * What the row suggests; the first line that applies decides.
 *
 *   a flag with effect `avoid`                  avoid
 *   edge after fees below MIN_EDGE_CENTS        watch
 *   not executable                              watch
 *   a flag with effect `watch`                  watch
 *   otherwise                                   buy on the cheaper venue, sell on the other
 */
export function suggestedAction(
  row: Pick<EdgeRow, 'edgeCents' | 'executable' | 'buyVenue'>,
  flags: readonly RiskFlag[],
): EdgeRow['suggestedAction'] {
  const has = (effect: RiskEffect) => flags.some((flag) => RISK_FLAGS[flag].effect === effect)
  if (has('avoid')) return 'avoid'
  if (row.edgeCents < MIN_EDGE_CENTS || !row.executable || has('watch')) return 'watch'
  return row.buyVenue === 'a' ? 'buy_a_sell_b' : 'buy_b_sell_a'
}

export const suggestsTrade = ({ suggestedAction: action }: Pick<EdgeRow, 'suggestedAction'>): boolean =>
  action === 'buy_a_sell_b' || action === 'buy_b_sell_a'
