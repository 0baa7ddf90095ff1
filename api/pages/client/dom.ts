/** The few browser types that our scripts use: the project's types are the server's, and have none. */
export type BrowserElement = {
  innerHTML: string
  textContent: string
  hidden: boolean
  setAttribute(name: string, value: string): void
}

/** An element or a text, which has no attributes. */
export type BrowserNode = {
  nodeName: string
  nodeValue: string | null //  of a text
  childNodes: Iterable<BrowserNode>
  attributes?: Iterable<{ name: string; value: string }>
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  appendChild(node: BrowserNode): void
  replaceChild(node: BrowserNode, old: BrowserNode): void
  removeChild(node: BrowserNode): void
}

export type Field = BrowserElement & {
  value: string
  disabled: boolean
  name: string
  id: string
  dataset: Record<string, string>
}

export type Watched = Field &
  BrowserNode & {
    querySelectorAll(selector: string): Iterable<Watched>
    scrollIntoView(): void
    focus(options: { preventScroll: boolean }): void
    addEventListener(event: string, listener: (event: { preventDefault(): void }) => void): void
  }

export type Browser = {
  document: {
    getElementById(id: string): Watched | null
    activeElement: Watched
    createElement(name: 'template'): { innerHTML: string; content: BrowserNode }
  }
  EventSource: new (url: string) => BrowserEventSource
  location: { hash: string }
  addEventListener(event: string, listener: () => void): void
  setInterval(work: () => void, everyMs: number): number
  performance: { now(): number }
}

export type BrowserEventSource = {
  readyState: number
  addEventListener(event: string, listener: (message: { data: string }) => void): void
  close(): void
}

/** An element that the page is served with. @throws when it is missing: page and script are of one version. */
export function elementOf(id: string): Watched {
  const { document } = globalThis as unknown as Browser
  const element = document.getElementById(id)
  if (element === null) throw new Error(`no #${id} on this page`)
  return element
}
