import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SITE_PAGES } from '../../api/pages/site/index.ts'
import { PLACES } from '../../api/storefront/places.ts'
import {
  barriers,
  chooseTextSize,
  contrasts,
  noBrowser,
  overflow,
  spaceText,
  unnamed,
} from '../support/browser.ts'
import { get } from '../support/buyer.ts'
import { type Shop, startShop } from '../support/shop.ts'

const SOON = { timeout: 20_000 }
/** A desktop at 400 per cent (WCAG 2.2, 1.4.10). */
const SMALL = { width: 320, height: 640 }
const PHONE = { width: 390, height: 844 }
const PAPER = { width: 718, height: 1_047 } //  A4 with the margins of a browser
const DESKTOP = { width: 1280, height: 900 }

describe.skipIf(noBrowser !== null)(`pages in Chromium ${noBrowser ?? ''}`, () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await startShop()
  })
  afterEach(() => shop.leave())
  afterAll(() => shop?.stop())

  describe.each(SITE_PAGES.map(({ place }) => PLACES[place].path))('%s', (path) => {
    test.each([
      ['phone, light', { viewport: PHONE, colorScheme: 'light' as const }],
      ['phone, dark', { viewport: PHONE, colorScheme: 'dark' as const }],
      ['desktop, light', { viewport: DESKTOP, colorScheme: 'light' as const }],
      ['desktop, dark', { viewport: DESKTOP, colorScheme: 'dark' as const }],
    ])('%s: fits, can be read, complains of nothing', async (_, options) => {
      const { page, requests, complaints } = await shop.visit(path, options)
      expect(await overflow(page)).toEqual([])
      const found = await contrasts(page)
      expect(found.length).toBeGreaterThan(30)
      expect(found.filter(({ ratio }) => ratio < 4.5)).toEqual([])
      expect(await unnamed(page)).toEqual([])
      expect(await barriers(page)).toEqual([])
      expect(await page.evaluate('document.querySelectorAll("h1, main, header, footer").length')).toBe(4)
      expect(requests.filter((url) => !url.startsWith(`${shop.base}/`))).toEqual([])
      expect(complaints).toEqual([])
    })
  })

  test.each([...SITE_PAGES.map(({ place }) => PLACES[place].path), '/receipts/none'])(
    '%s fits the smallest screen, also with the distances in text that a reader chose',
    async (path) => {
      const { page } = await shop.visit(path, { viewport: SMALL })
      expect(await overflow(page)).toEqual([])
      await spaceText(page)
      expect(await overflow(page)).toEqual([])
    },
  )

  test('every link of every page leads to something, and every place in it is there', async () => {
    const links = new Set<string>()
    for (const { place } of SITE_PAGES) {
      const { path } = PLACES[place]
      const { text } = await get(`${shop.base}${path}`, { accept: 'text/html' })
      for (const [, href] of text.matchAll(/<a[^>]* href="([^"]+)"/g))
        links.add(href!.startsWith('#') ? `${path}${href}` : href!)
    }
    const lost: string[] = []
    for (const link of links) {
      const [path, place] = link.split('#')
      const { status, text } = await get(`${shop.base}${path}`, { accept: 'text/html,*/*;q=0.5' })
      const there =
        status === 200 || status === 402 || path === '/mcp' || (path === '/history' && status === 503)
      if (!there || (place !== undefined && !text.includes(` id="${place}"`))) lost.push(`${status} ${link}`)
    }
    expect(lost).toEqual([])
    expect(links.size).toBeGreaterThan(40)
  })

  test('text is as large as its reader has asked the browser for', async () => {
    const { page } = await shop.visit('/checkout-help', { viewport: DESKTOP })
    const sizes = () =>
      page.evaluate<number[]>(`['p', 'h1', 'nav a', 'pre code'].map((name) =>
        Number.parseFloat(getComputedStyle(document.querySelector('main ' + name) ?? document.querySelector(name)).fontSize))`)
    const usual = await sizes()
    await chooseTextSize(page, 32)
    await expect.poll(sizes, SOON).toEqual(usual.map((size) => 2 * size))
    expect(await overflow(page)).toEqual([])
  })

  test('/docs is a list to unfold; a link to one entry opens it, without a script', async () => {
    const { page } = await shop.visit('/docs', { javaScriptEnabled: false })
    const shown = () => page.isVisible('#spread figure')
    expect(await shown()).toBe(false)
    await page.goto(`${shop.base}/docs#spread`)
    await expect.poll(shown, SOON).toBe(true)
    expect(await page.isVisible('#match figure')).toBe(false)
  })

  test('on paper no code is cut off, neither at its right nor at its end', async () => {
    const found: [path: string, code: string][] = []
    for (const { place } of SITE_PAGES) {
      const { path } = PLACES[place]
      const { page } = await shop.visit(path, { viewport: PAPER })
      await page.emulateMedia({ media: 'print' })
      const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('pre')]
        .filter((e) => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight)
        .map((e) => e.textContent.slice(0, 40))`)
      found.push(...cut.map((code): [string, string] => [path, code]))
    }
    expect(found).toEqual([])
  })

  test('on a phone the navigation is one line, and where one is stands in it', async () => {
    const { page } = await shop.visit('/receipt-oracle', { viewport: PHONE })
    const [lines, left, right] = await page.evaluate<[number, number, number]>(`(() => {
      const links = [...document.querySelectorAll('.top nav a')].map((a) => a.getBoundingClientRect())
      const here = document.querySelector('.top nav [aria-current]').getBoundingClientRect()
      return [new Set(links.map(({ top }) => Math.round(top))).size, here.left, here.right]
    })()`)
    expect(lines).toBe(1)
    expect([left >= 0, right <= PHONE.width]).toEqual([true, true])
  })

  test.each([
    ['/x402/v1/dns', 'This read costs 0.001 USD'],
    ['/Catalog/', 'No such path'],
    ['/fulfill', 'Method not allowed'],
    ['/receipts/none', 'No such receipt'],
  ])('a person who opens %s gets a page with a way on', async (path, title) => {
    const { page, requests } = await shop.visit(path, { viewport: PHONE, colorScheme: 'dark' })
    expect(await page.textContent('h1')).toBe(title)
    expect(await page.locator('main a[href^="/"]').count()).toBeGreaterThan(0)
    expect(await overflow(page)).toEqual([])
    expect((await contrasts(page)).filter(({ ratio }) => ratio < 4.5)).toEqual([])
    expect(await barriers(page)).toEqual([])
    expect(requests.filter((url) => !url.startsWith(`${shop.base}/`))).toEqual([])
  })
})
