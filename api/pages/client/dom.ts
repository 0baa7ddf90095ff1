/** The little of a browser that our script uses: the project's types are the server's, and have none. */
export type BrowserElement = {
  innerHTML: string
  textContent: string
  hidden: boolean
  setAttribute(name: string, value: string): void
}

export type Browser = {
  document: { getElementById(id: string): BrowserElement | null }
  EventSource: new (url: string) => BrowserEventSource
  setInterval(work: () => void, everyMs: number): number
  performance: { now(): number }
}

export type BrowserEventSource = {
  readyState: number
  addEventListener(event: string, listener: (message: { data: string }) => void): void
  close(): void
}
