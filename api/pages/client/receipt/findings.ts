import { type Html, html } from '../../html.ts'
import type { Finding } from './check.ts'

/** What was found about a receipt, the verdict first. */
export function findingsHtml(who: string, findings: readonly Finding[]): Html {
  const bad = findings.some(({ ok }) => ok === false)
  const open = findings.some(({ ok }) => ok === null)
  const [words, state] = bad ? ['NOT valid', 'shut'] : open ? ['not checked', ''] : ['valid', 'open']
  return html`<div class="verdict"><p><span class="pill ${state}">${who}: ${words}</span></p><ul class="findings">${findings.map(
    ({ what, ok, words: found }) =>
      html`<li class="${ok === null ? 'open' : ok ? 'yes' : 'no'}"><b>${what}</b> ${found}</li>`,
  )}</ul></div>`
}
