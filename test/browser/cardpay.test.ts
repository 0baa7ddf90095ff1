import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  barriers,
  contrasts,
  noBrowser,
  startBrowser,
  type Watched,
  watchedPage,
} from '../support/browser.ts'
import { rawRequest } from '../support/buyer.ts'
import { type Cards, startCards } from '../support/cards.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { type Service, startService } from '../support/service.ts'

const SOON = { timeout: 20_000 }

describe.skipIf(noBrowser !== null)(`4.2 a person pays by card (${noBrowser ?? 'Chromium'})`, () => {
  let chain: TestChain
  let cards: Cards
  let service: Service
  let browser: Browser
  let base: string
  const opened: Watched[] = []
  beforeAll(async () => {
    ;[chain, cards, browser] = await Promise.all([startTestChain(), startCards(), startBrowser()])
    service = await startService({ chain, processes: 1, worker: false, env: cards.env, namesItself: true })
    base = service.bases[0]!
    cards.tell(`${base}/cardpay/webhook`)
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    await cards?.stop()
    await chain?.stop()
  })

  const checkout = async () => {
    const body = JSON.stringify({ sku: 'SKU_TOR_MCP_PRO', buyerId: 'a-person' })
    const answer = await rawRequest(base, { path: '/cardpay/checkout', method: 'POST', body })
    expect(answer.status, answer.text).toBe(200)
    return answer.json as { checkoutId: string; checkoutUrl: string; statusUrl: string }
  }
  const visit = async (url: string) => {
    const watched = await watchedPage(browser, { viewport: { width: 390, height: 844 } })
    opened.push(watched)
    await watched.page.goto(url)
    return watched.page
  }

  test('sees what it costs, presses Pay, and gets the key on the page he comes back to', async () => {
    const { checkoutUrl } = await checkout()
    const page = await visit(checkoutUrl)
    expect(await page.textContent('#price')).toBe('12.35 USD')
    expect(await page.textContent('main')).toContain('No real money')
    await page.click('button[value=pay]')
    await page.waitForURL(`${base}/cardpay/checkout-status?**`)
    await expect.poll(() => page.textContent('h1'), SOON).toBe('Paid, thank you')
    expect(await page.textContent('#result')).toMatch(/"unlockKey": "unlock_[A-Za-z0-9_-]{43}"/)
    expect((await contrasts(page)).filter(({ ratio }) => ratio < 4.5)).toEqual([])
    expect(await barriers(page)).toEqual([])
    const [wide, screen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    )
    expect(wide).toBeLessThanOrEqual(screen)
  })

  test('goes back to the shop without paying, sees that, and finds the way to pay from there', async () => {
    const { checkoutUrl } = await checkout()
    const page = await visit(checkoutUrl)
    await page.click('#back')
    expect(await page.textContent('h1')).toBe('Not paid yet')
    await page.click('#pay')
    expect(page.url()).toBe(checkoutUrl)
    await page.click('button[value=pay]')
    await expect.poll(() => page.textContent('h1'), SOON).toBe('Paid, thank you')
  })

  test('an open status page notices by itself that it was paid elsewhere', async () => {
    const { checkoutUrl, statusUrl } = await checkout()
    const page = await visit(statusUrl)
    expect(await page.textContent('h1')).toBe('Not paid yet')
    const till = await visit(checkoutUrl)
    await till.click('button[value=pay]')
    await expect.poll(() => page.textContent('h1'), SOON).toBe('Paid, thank you')
  })

  test('after a refund at the till the key is gone from the page', async () => {
    const { checkoutUrl, statusUrl } = await checkout()
    const till = await visit(checkoutUrl)
    await till.click('button[value=pay]')
    await expect.poll(() => till.textContent('h1'), SOON).toBe('Paid, thank you')
    await till.goto(checkoutUrl)
    await till.click('button[value=refund]')
    expect(await till.textContent('#state')).toBe('complete, refunded')
    const page = await visit(statusUrl)
    const headline = async () => {
      await page.reload()
      return page.textContent('h1')
    }
    await expect.poll(headline, SOON).toBe('The money went back')
    expect(await page.content()).not.toContain('unlock_')
  })

  test('none of these pages broke a rule of its own, or asked anybody but the shop and the till', async () => {
    const origins = new Set(opened.flatMap(({ requests }) => requests.map((url) => new URL(url).origin)))
    expect([...origins].sort()).toEqual([base, cards.url].sort())
    expect(opened.flatMap(({ complaints }) => complaints)).toEqual([])
  })
})
