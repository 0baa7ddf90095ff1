import { medianRound, type Ratio, type Round } from './statistics.ts'

/**
 * How well a limit of the design is held, for paths without another server to compare with: 1 is just held, 2 is twice
 * as good.
 * @param held the same for one round.
 */
export function heldLimit(
  against: string,
  rounds: readonly Round[],
  held: (round: Round) => number,
): Ratio & { against: string } {
  const single = rounds.map(held)
  const perSecond = held(medianRound(rounds))
  return {
    against,
    perSecond,
    range: [Math.min(...single), Math.max(...single)],
    cpu: null,
    target: 1,
    met: perSecond >= 1,
  }
}
