import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'

/** Why browser tests are skipped here, or null. */
export const noBrowser: string | null = existsSync(CHROMIUM)
  ? null
  : `skipped: there is no ${CHROMIUM} (apt-get install chromium)`

/** Chromium without a window, with an empty profile of its own, that calls nobody by itself. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  })

export type Watched = { page: Page; requests: string[]; complaints: string[] }

/** A page whose requests and complaints (errors, warnings, what its policy refused) are kept. */
export async function watchedPage(
  browser: Browser,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<Watched> {
  const page = await browser.newPage(options)
  const [requests, complaints]: [string[], string[]] = [[], []]
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  return { page, requests, complaints }
}

/**
 * Runs in the page: every piece of text that is shown, with the contrast of its colour to the ground behind it
 * (WCAG 2.2, 1.4.3), the lowest first. Grounds are opaque or see-through, nothing between.
 */
const CONTRASTS = `(() => {
  const channels = (css) => css.match(/[\\d.]+/g).map(Number)
  const light = (css) => {
    const [r, g, b] = channels(css).slice(0, 3).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor
      if (channels(color)[3] !== 0) return color
    }
    return 'rgb(255, 255, 255)'
  }
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim()
    const element = walker.currentNode.parentElement
    if (text === '' || element.getClientRects().length === 0) continue
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x)
    found.push({ text: text.slice(0, 40), ratio: Math.round(100 * (one + 0.05) / (other + 0.05)) / 100 })
  }
  return found.sort((x, y) => x.ratio - y.ratio)
})()`

export const contrasts = (page: Page): Promise<{ text: string; ratio: number }[]> => page.evaluate(CONTRASTS)
