import { type Html, html } from '../../html.ts'

export const rows = (entries: readonly (readonly [string, string])[]): Html =>
  html`<dl class="terms">${entries.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`

/** JSON that can be unfolded. */
export const unfold = (title: string, value: unknown): Html =>
  html`<details><summary>${title}</summary><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></details>`

export const json = (label: string, value: unknown): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}">${JSON.stringify(value, null, 2)}</pre>`

/** A refusal as the service words it. */
export const refusal = (
  status: number,
  body: { title?: string; next?: string; code?: string; detail?: string },
): Html =>
  html`<p><span class="pill shut">${status} ${body.code ?? ''}</span></p><p>${body.title ?? 'No answer to read'}.</p>${body.detail !== undefined && html`<p>${body.detail}</p>`}<p class="note">${body.next ?? 'Try again.'}</p>`
