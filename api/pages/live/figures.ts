import type { LiveBoard } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { grouped } from './format.ts'

/** The size of the market, in one line of figures. */
export const figures = ({ counts, service, selling }: LiveBoard): Html =>
  html`<dl class="figures">${[
    figure(grouped(counts.pairs), 'pairs live', 'the same question on both venues'),
    figure(grouped(counts.quoted), 'quoted on both', 'so that a gap can be measured'),
    figure(grouped(counts.openGaps), 'gaps open', openNote(counts, selling)),
    figure(
      grouped(counts.cards),
      'gap cards',
      counts.cardsCut ? 'the best; there are more' : 'qualify to be sold',
    ),
    figure(grouped(counts.refused), 'look-alikes refused', 'proposed, but not a pair'),
    figure(`${service.fromUsdc} USDC`, `${service.goods.length} goods from`, 'a read, no account'),
  ]}</dl>`

/**
 * Open gaps are counted among the cards, and stale data makes no cards: then it is unknown whether the gaps are still
 * open.
 */
function openNote({ cardsCut }: LiveBoard['counts'], { open }: LiveBoard['selling']): string {
  if (!open) return 'unknown without fresh data'
  return cardsCut ? 'among the best cards' : 'at this moment'
}

const figure = (value: string, name: string, note: string): Html =>
  html`<div><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`
