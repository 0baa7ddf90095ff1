import { FEED_OPEN_MAX } from '../../contract/feed.ts'
import { byRank, type CardSketch } from './gapCards.ts'
import { TopList } from './topList.ts'

/** Cards that would be announced if there were room for them. */
export class WaitingCards {
  readonly #all = new Set<CardSketch>()
  readonly #best = new TopList<CardSketch>(FEED_OPEN_MAX, () => 0, byRank)

  add(card: CardSketch): void {
    if (this.#all.has(card)) return
    this.#all.add(card)
    this.#best.add(card)
  }

  delete(card: CardSketch): void {
    if (this.#all.delete(card)) this.#best.delete(card)
  }

  /** Best first, at most `max`; callers never ask for more than FEED_OPEN_MAX. */
  best(max: number): readonly CardSketch[] {
    return this.#best.best(this.#all).slice(0, max)
  }
}
