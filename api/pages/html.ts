/** Text that is HTML already. Only `html` makes it, so nothing becomes HTML without having been escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Fill = string | number | Html | readonly Html[] | null | false

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"'`]/g, (char) => ESCAPES[char]!)

/**
 * A template whose inserted values are escaped, for text and for attributes in quotes; null and false insert nothing.
 * Runs in the server and in the browser.
 */
export function html(strings: TemplateStringsArray, ...fills: Fill[]): Html {
  let text = strings[0]!
  fills.forEach((fill, at) => {
    text += filled(fill) + strings[at + 1]!
  })
  return new Html(text)
}

function filled(fill: Fill): string {
  if (fill === null || fill === false) return ''
  if (fill instanceof Html) return fill.text
  if (typeof fill === 'string' || typeof fill === 'number') return escapeHtml(String(fill))
  return fill.map(({ text }) => text).join('')
}
