import type { LiveBoard } from '../../live/liveBoard.ts'
import { type Html, html } from '../html.ts'
import { dayOf, timeOf } from './format.ts'

/** Whether reads are sold now, with real or test money, and the market time. */
export const selling = ({ selling: { open, code, words }, service, clock }: LiveBoard): Html =>
  html`<span class="pill ${open ? 'open' : 'shut'}">${words}</span>${
    code !== null && html` <span>Refused with 503 <code>${code}</code>, nothing is charged.</span>`
  } <span class="pill">${service.mode === 'sandbox' ? 'sandbox: no real money' : service.mode}</span>${
    service.recorded && html` <span class="pill">recorded markets</span>`
  } <span>Market clock <time datetime="${clock.now}">${dayOf(clock.now)} <b>${timeOf(clock.now)}</b></time> UTC</span>`
