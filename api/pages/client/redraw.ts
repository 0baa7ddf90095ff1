import type { Browser, BrowserNode, Watched } from './dom.ts'

const { document } = globalThis as unknown as Browser

/**
 * Shows this HTML, by changing only what differs: whoever reads aloud, marks or clicks something that stays the same is
 * not disturbed each second. The keyboard focus stays on the link of the same position.
 */
export function redraw(element: Watched, html: string): void {
  const at = [...element.querySelectorAll('a')].indexOf(document.activeElement)
  const made = document.createElement('template')
  made.innerHTML = html
  assimilate(element, made.content)
  const link = at === -1 ? undefined : [...element.querySelectorAll('a')][at]
  if (link !== document.activeElement) link?.focus({ preventScroll: true })
}

function assimilate(shown: BrowserNode, made: BrowserNode): void {
  const before = [...shown.childNodes]
  const after = [...made.childNodes]
  for (const [at, node] of after.entries()) {
    const old = before[at]
    if (old === undefined) shown.appendChild(node)
    else if (old.nodeName !== node.nodeName || leadsElsewhere(old, node)) shown.replaceChild(node, old)
    else {
      if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue
      copyAttributes(old, node)
      assimilate(old, node)
    }
  }
  for (const old of before.slice(after.length)) shown.removeChild(old)
}

/** Such a link is another one: whoever has pressed the mouse on the former must not be led to the new place. */
const leadsElsewhere = (old: BrowserNode, node: BrowserNode): boolean =>
  old.nodeName === 'A' && old.getAttribute('href') !== node.getAttribute('href')

/** A text has none. */
function copyAttributes(to: BrowserNode, { attributes = [] }: BrowserNode): void {
  const wanted = new Map([...attributes].map(({ name, value }) => [name, value]))
  for (const { name } of [...(to.attributes ?? [])]) if (!wanted.has(name)) to.removeAttribute(name)
  for (const [name, value] of wanted) if (to.getAttribute(name) !== value) to.setAttribute(name, value)
}
