import { type Html, html } from '../html.ts'

const TOKEN = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*/g

/** A text of ours as HTML: `code`, [words](link) and **strong**, everything else unchanged. */
export function inlineHtml(text: string): Html {
  const parts: Html[] = []
  let from = 0
  for (const { 0: whole, 1: code, 2: words, 3: href, 4: strong, index } of text.matchAll(TOKEN)) {
    parts.push(html`${text.slice(from, index)}`)
    from = index + whole.length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`)
    else parts.push(html`<a href="${href!}">${words!}</a>`)
  }
  parts.push(html`${text.slice(from)}`)
  return html`${parts}`
}

/** The same without markup, for a title or a label. */
export const plainText = (text: string): string =>
  text.replace(TOKEN, (_, code, words, __, strong) => code ?? words ?? strong)
