import type { LiveBoard } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { dayOf, timeOf } from './format.ts'

/** Whether one can buy now, whose money it is, and what time it is on the market. */
export const selling = ({ selling: { open, code, words }, service, clock }: LiveBoard): Html =>
  html`<span class="pill ${open ? 'open' : 'shut'}">${words}</span>${
    code !== null && html` <span>Refused with 503 <code>${code}</code>, nothing is charged.</span>`
  } <span class="pill">${service.mode === 'sandbox' ? 'sandbox: no real money' : service.mode}</span>${
    service.recorded && html` <span class="pill">recorded markets</span>`
  } <span>Market clock <time datetime="${clock.now}">${dayOf(clock.now)} <b>${timeOf(clock.now)}</b></time> UTC</span>`
