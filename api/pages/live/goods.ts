import type { LiveBoard } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { tryPlace } from '../tryPlace.ts'
import { toTheCent } from './format.ts'

/** The price list: the name leads to the box where a person tries it, the path answers 402 with the terms. */
export const goods = ({ service }: LiveBoard): Html =>
  html`<ul class="goods">${service.goods.map(
    ({ path, title, priceUsdc }) =>
      html`<li><a href="${tryPlace(path)}">${title}</a> <a class="path" href="${path}"><code>${path}</code></a> <span class="num">${toTheCent(priceUsdc)} USDC</span></li>`,
  )}</ul>`
