import { type Html, html } from '../html.ts'
import type { Block, Content, Fold, Section, Table } from './content.ts'
import { inlineHtml, plainText } from './inline.ts'

/** With fewer sections a list of them is only in the way. */
const LISTED_FROM = 3

/** A page's content for people: one h1, a list of its sections, each a landmark with a heading. */
export function contentHtml({ lead, sections }: Content, title: string, status: Html): Html {
  const listed = sections.length >= LISTED_FROM
  return html`<section class="lead" aria-labelledby="h-top">
<h1 id="h-top">${title}</h1>
${lead.map((text) => html`<p>${inlineHtml(text)}</p>\n`)}<div class="status">${status}</div>
</section>
<div class="${listed ? 'prose listed' : 'prose'}">
${listed && onThisPage(sections)}<div class="sections">
${sections.map(sectionHtml)}</div>
</div>
`
}

const onThisPage = (sections: readonly Section[]): Html =>
  html`<nav class="contents" aria-label="On this page"><ul>${sections.map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`,
  )}</ul></nav>
`

const sectionHtml = ({ id, title, blocks }: Section): Html =>
  html`<section id="${id}" aria-labelledby="h-${id}"><h2 id="h-${id}">${title}</h2>
${blocks.map(blockHtml)}</section>
`

function blockHtml(block: Block): Html {
  if ('p' in block) return html`<p>${inlineHtml(block.p)}</p>\n`
  if ('note' in block) return html`<p class="note">${inlineHtml(block.note)}</p>\n`
  if ('heading' in block)
    return html`<h3${block.id !== undefined && html` id="${block.id}"`}>${inlineHtml(block.heading)}</h3>\n`
  if ('fold' in block) return foldHtml(block.fold)
  if ('list' in block) return html`<ul class="plain">${block.list.map(itemHtml)}</ul>\n`
  if ('steps' in block) return html`<ol class="plain">${block.steps.map(itemHtml)}</ol>\n`
  if ('table' in block) return tableHtml(block.table)
  if ('widget' in block) return block.widget
  return codeHtml(block)
}

const itemHtml = (text: string): Html => html`<li>${inlineHtml(text)}</li>`

/** The id is inside, so that a link to it, like a search in the page, opens a closed fold. Needs no script. */
const foldHtml = ({ id, heading, note, blocks }: Fold): Html =>
  html`<details class="fold"><summary><h3>${inlineHtml(heading)}</h3> <span>${inlineHtml(note)}</span></summary><div id="${id}">
${blocks.map(blockHtml)}</div></details>\n`

/** Scrolls inside itself, so it can be reached by the keyboard. */
const codeHtml = ({ code, language, name }: Extract<Block, { code: string }>): Html =>
  html`<figure class="code"><figcaption>${inlineHtml(name)}</figcaption><pre tabindex="0" role="region" aria-label="${plainText(name)}" data-language="${language}"><code>${code}</code></pre></figure>\n`

const AMOUNT = /^\d[\d.]* \w+$/
/** A cell with at most this many letters stays beside its neighbours on a narrow screen. */
const SHORT_MAX = 14

/** A narrow screen shows each row as a block: every cell knows the name of its column. */
function tableHtml({ name, caption, head, rows, ids }: Table): Html {
  const [, ...labels] = head
  return html`<table class="${name === undefined ? 'records' : `records ${name}`}"><caption>${inlineHtml(caption)}</caption><thead><tr>${head.map(
    (label) => html`<th scope="col">${label}</th>`,
  )}</tr></thead><tbody>${rows.map(
    ([first = '', ...cells], at) =>
      html`<tr${ids?.[at] !== undefined && html` id="${ids[at]}"`}><th scope="row">${inlineHtml(first)}</th>${cells.map(
        (cell, column) =>
          html`<td data-label="${labels[column] ?? ''}" class="${classOf(cell)}">${inlineHtml(cell)}</td>`,
      )}</tr>`,
  )}</tbody></table>\n`
}

const classOf = (cell: string): string =>
  [AMOUNT.test(cell) && 'num', plainText(cell).length <= SHORT_MAX && 'short'].filter(Boolean).join(' ')
