import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'

/** Why browser tests are skipped here, or null. */
export const noBrowser: string | null = existsSync(CHROMIUM)
  ? null
  : `skipped: there is no ${CHROMIUM} (apt-get install chromium)`

/** Headless Chromium with an empty profile of its own; it makes no network calls by itself. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
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

/** Runs in the page: what a screen reader would miss. */
const UNNAMED = `[...document.querySelectorAll('input, select, textarea, button, a, img, svg[role=img], nav')]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.getAttribute('aria-label') || ('labels' in e && e.type !== 'submit' && e.type !== 'button' ? e.labels.length : e.textContent.trim() || e.alt)))
  .map((e) => e.outerHTML.slice(0, 80))`

/** Runs in the page: whether it is wider than the screen, and by what. */
const WIDE = `[document.documentElement.scrollWidth, innerWidth,
  ...[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre, details'))
  .map((e) => e.outerHTML.slice(0, 80))].slice(0, 5)`

/** What overflows the screen: an empty list, or the widths of page and screen and a few of the elements. */
export async function overflow(page: Page): Promise<(string | number)[]> {
  const [wide, screen, ...elements] = await page.evaluate<[number, number, ...string[]]>(WIDE)
  return wide <= screen && elements.length === 0 ? [] : [wide, screen, ...elements]
}

/** Runs in the page: the distances between lines, words and letters that a reader may choose (WCAG 2.2, 1.4.12). */
const SPACED = `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }')
  document.adoptedStyleSheets = [sheet]
})()`
export const spaceText = (page: Page): Promise<void> => page.evaluate(SPACED)

/** As in a browser whose reader has chosen a size for text; without a choice it is 16. */
export async function chooseTextSize(page: Page, points: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: points } })
}

/** Controls, links, pictures and navigations without a name. */
export const unnamed = (page: Page): Promise<string[]> => page.evaluate(UNNAMED)

/**
 * Runs in the page: every piece of text that is shown, with the contrast of its colour to the background
 * (WCAG 2.2, 1.4.3), the lowest first. Backgrounds are either opaque or fully transparent.
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

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const AXE_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe-core finds wrong by WCAG 2.2 A and AA and by good practice: rule, elements, why. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const found = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(AXE_RULES)} })`)
  if (found.passes.length < 20) throw new Error(`axe-core looked at ${found.passes.length} rules only`)
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
  )
}
