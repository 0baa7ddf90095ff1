import type { LiveBoard } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'

/** The price list. A link answers 402 with the terms: that is how it is bought. */
export const goods = ({ service }: LiveBoard): Html =>
  html`<ul class="goods">${service.goods.map(
    ({ path, title, priceUsdc }) =>
      html`<li><a href="${path}">${title}</a> <code>${path}</code> <span class="num">${priceUsdc} USDC</span></li>`,
  )}</ul>`
