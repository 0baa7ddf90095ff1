import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SITE_PAGES } from '../../api/pages/site/index.ts'
import { contrasts, noBrowser, startBrowser, type Watched, watchedPage } from '../support/browser.ts'
import { get } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { type Service, startService } from '../support/service.ts'

const SOON = { timeout: 20_000 }
const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 900 }

/** Runs in the page: what a screen reader would miss. */
const UNNAMED = `[...document.querySelectorAll('input, select, textarea, button, a, img, svg[role=img], nav')]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.getAttribute('aria-label') || ('labels' in e && e.type !== 'submit' && e.type !== 'button' ? e.labels.length : e.textContent.trim() || e.alt)))
  .map((e) => e.outerHTML.slice(0, 80))`

/** Runs in the page: whether it is wider than the screen, and by what. */
const WIDE = `[document.documentElement.scrollWidth, innerWidth,
  ...[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre, details'))
  .map((e) => e.outerHTML.slice(0, 80))].slice(0, 5)`

describe.skipIf(noBrowser !== null)(`pages in Chromium ${noBrowser ?? ''}`, () => {
  let chain: TestChain
  let service: Service
  let browser: Browser
  let base: string
  let open: Watched[] = []
  beforeAll(async () => {
    ;[chain, browser] = await Promise.all([startTestChain(), startBrowser()])
    service = await startService({ chain, processes: 1 })
    base = service.bases[0]!
    await service.restartApi(0, { PUBLIC_URL: base }) //  receipts name who is asked
  })
  afterEach(async () => {
    for (const { page } of open) await page.close()
    open = []
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    await chain?.stop()
  })

  const visit = async (path: string, options: Parameters<typeof watchedPage>[1] = {}) => {
    const watched = await watchedPage(browser, options)
    open.push(watched)
    await watched.page.goto(`${base}${path}`)
    return watched
  }

  describe.each(SITE_PAGES.map(({ path }) => path))('%s', (path) => {
    test.each([
      ['phone, light', { viewport: PHONE, colorScheme: 'light' as const }],
      ['phone, dark', { viewport: PHONE, colorScheme: 'dark' as const }],
      ['desktop, light', { viewport: DESKTOP, colorScheme: 'light' as const }],
      ['desktop, dark', { viewport: DESKTOP, colorScheme: 'dark' as const }],
    ])('%s: fits, can be read, complains of nothing', async (_, options) => {
      const { page, requests, complaints } = await visit(path, options)
      const [wide, screen, ...what] = await page.evaluate<[number, number, ...string[]]>(WIDE)
      expect([wide <= screen, what]).toEqual([true, []])
      const found = await contrasts(page)
      expect(found.length).toBeGreaterThan(30)
      expect(found.filter(({ ratio }) => ratio < 4.5)).toEqual([])
      expect(await page.evaluate(UNNAMED)).toEqual([])
      expect(await page.evaluate('document.querySelectorAll("h1, main, header, footer").length')).toBe(4)
      expect(requests.filter((url) => !url.startsWith(`${base}/`))).toEqual([])
      expect(complaints).toEqual([])
    })
  })

  test('every link of every page leads to something, and every place in it is there', async () => {
    const links = new Set<string>()
    for (const { path } of SITE_PAGES) {
      const { text } = await get(`${base}${path}`, { accept: 'text/html' })
      for (const [, href] of text.matchAll(/<a[^>]* href="([^"]+)"/g))
        links.add(href!.startsWith('#') ? `${path}${href}` : href!)
    }
    const lost: string[] = []
    for (const link of links) {
      const [path, place] = link.split('#')
      const { status, text } = await get(`${base}${path}`, { accept: 'text/html,*/*;q=0.5' })
      const there =
        status === 200 || status === 402 || path === '/mcp' || (path === '/history' && status === 503)
      if (!there || (place !== undefined && !text.includes(` id="${place}"`))) lost.push(`${status} ${link}`)
    }
    expect(lost).toEqual([])
    expect(links.size).toBeGreaterThan(40)
  })

  test('/docs is a list to unfold; a link to one entry opens it, without a script', async () => {
    const { page } = await visit('/docs', { javaScriptEnabled: false })
    const shown = () => page.isVisible('#spread figure')
    expect(await shown()).toBe(false)
    await page.goto(`${base}/docs#spread`)
    await expect.poll(shown, SOON).toBe(true)
    expect(await page.isVisible('#match figure')).toBe(false)
  })

  test('on a phone the navigation is one line, and where one is stands in it', async () => {
    const { page } = await visit('/receipt-oracle', { viewport: PHONE })
    const [lines, left, right] = await page.evaluate<[number, number, number]>(`(() => {
      const links = [...document.querySelectorAll('.top nav a')].map((a) => a.getBoundingClientRect())
      const here = document.querySelector('.top nav [aria-current]').getBoundingClientRect()
      return [new Set(links.map(({ top }) => Math.round(top))).size, here.left, here.right]
    })()`)
    expect(lines).toBe(1)
    expect([left >= 0, right <= PHONE.width]).toEqual([true, true])
  })

  describe('the box in the catalog', () => {
    const outcome = (page: Page) => page.textContent('#bought')

    test('shows the terms, pays them with the test wallet, checks the receipt', async () => {
      const { page, complaints } = await visit('/catalog', { viewport: PHONE })
      await page.selectOption('#good', '/x402/v1/ping')
      await page.fill('#ping-echo', 'hällo & <b>')
      expect(await page.isDisabled('#buy')).toBe(true)
      await page.click('#try-box button[type=submit]')
      await expect.poll(() => page.textContent('#asked'), SOON).toContain('0.01 USD')
      const terms = (await page.textContent('#asked'))!
      for (const words of ['eip155:8453', chain.receiver, chain.usdc, 'seconds', 'payment-identifier'])
        expect(terms).toContain(words)
      const before = await chain.balance(chain.receiver)
      await page.click('#buy')
      await expect.poll(() => outcome(page), SOON).toContain('Checked in this browser: valid')
      expect(await outcome(page)).toContain('hällo & <b>')
      expect(await outcome(page)).toContain('PAYMENT-RESPONSE')
      expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
      expect((await contrasts(page)).filter(({ ratio }) => ratio < 4.5)).toEqual([])
      const [wide, screen, ...what] = await page.evaluate<[number, number, ...string[]]>(WIDE)
      expect([wide <= screen, what]).toEqual([true, []])
      expect(complaints.filter((words) => !words.includes('402'))).toEqual([])
    })

    test('a payment that is still being settled is sent again, and never signed again', async () => {
      const { page } = await visit('/catalog')
      const signed: unknown[] = []
      const sent: string[] = []
      let refusals = 2
      page.on('request', (request) => {
        if (request.url().endsWith('/sandbox/sign')) signed.push(request.postDataJSON())
      })
      await page.route('**/x402/v1/spread', async (route) => {
        const payment = await route.request().headerValue('payment-signature')
        if (payment === null) return route.continue()
        sent.push(payment)
        if (refusals-- === 0) return route.continue()
        return route.fulfill({ status: 503, json: { ok: false, code: 'settlement_pending' } })
      })
      await page.click('#try-box button[type=submit]')
      await page.waitForSelector('#asked h3', SOON)
      await page.click('#buy')
      await expect.poll(() => outcome(page), SOON).toContain('Checked in this browser: valid')
      expect([signed.length, sent.length, new Set(sent).size]).toEqual([1, 3, 1])
    })

    test('a refusal is shown in its own words, and nothing is paid', async () => {
      const { page } = await visit('/catalog')
      await page.selectOption('#good', '/x402/v1/dns')
      await page.fill('#dns-q', 'localhost')
      const before = await chain.balance(chain.receiver)
      await page.click('#try-box button[type=submit]')
      await page.waitForSelector('#asked h3', SOON)
      await page.click('#buy')
      await expect.poll(() => outcome(page), SOON).toMatch(/4\d\d \w+/)
      expect(await chain.balance(chain.receiver)).toBe(before)
    })

    test('terms that come after the question was changed are not shown', async () => {
      const { page } = await visit('/catalog')
      let answer = () => {}
      await page.route('**/x402/v1/spread', async (route) => {
        await new Promise<void>((resolve) => {
          answer = resolve
        })
        await route.continue()
      })
      await page.click('#try-box button[type=submit]')
      await expect.poll(() => page.textContent('#told'), SOON).toBe('Asking')
      await page.fill('#spread-q', 'fed')
      await page.click('#try-box button[type=submit]') //  another path with its query: this one is not held up
      const shown = () => page.textContent('#asked h3')
      await expect.poll(shown, SOON).toBe('402: the terms of GET /x402/v1/spread?q=fed')
      const late = page.waitForResponse('**/x402/v1/spread', SOON)
      answer()
      await late
      await page.evaluate("fetch('/live.json').then((answer) => answer.text())") //  whatever came before was handled
      expect(await shown()).toBe('402: the terms of GET /x402/v1/spread?q=fed')
    })

    test('other parameters or another read: the terms are asked for again', async () => {
      const { page } = await visit('/catalog')
      await page.click('#try-box button[type=submit]')
      await expect.poll(() => page.isEnabled('#buy'), SOON).toBe(true)
      await page.fill('#spread-q', 'fed')
      expect([await page.isDisabled('#buy'), await page.textContent('#asked')]).toEqual([true, ''])
      await page.selectOption('#good', '/x402/v1/hour-pass')
      expect(await page.isVisible('#spread-q')).toBe(false)
    })

    test('the keyboard does it all', async () => {
      const { page } = await visit('/catalog')
      const focused = () =>
        page.evaluate<string>('document.activeElement.id || document.activeElement.type || ""')
      for (let tabs = 0; (await focused()) !== 'good' && tabs < 60; tabs++) await page.keyboard.press('Tab')
      expect(await focused()).toBe('good')
      await page.keyboard.press('Tab')
      expect(await focused()).toBe('spread-q')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.isEnabled('#buy'), SOON).toBe(true)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      expect(await focused()).toBe('buy')
      await page.keyboard.press('Enter')
      await expect.poll(() => outcome(page), SOON).toContain('Checked in this browser: valid')
    })

    test('without a script the page is whole and says so', async () => {
      const { page } = await visit('/catalog', { javaScriptEnabled: false })
      expect(await page.textContent('#try-box')).toContain('needs JavaScript')
      expect(await page.locator('table.records tbody tr').count()).toBeGreaterThan(25)
    })
  })

  describe('the form on the page of receipts', () => {
    const bought = async () => {
      const { page } = await visit('/catalog')
      const answered = page.waitForResponse(
        (answer) => answer.url().includes('/x402/v1/') && answer.status() === 200,
        SOON,
      )
      await page.click('#try-box button[type=submit]')
      await page.waitForSelector('#asked h3', SOON)
      await page.click('#buy')
      return (await (await answered).json()) as {
        result: { paymentAttestation: { payload: object; attestationId: string } }
      }
    }
    const verdictOn = async (text: string) => {
      const { page } = await visit('/receipt-oracle')
      await page.fill('#receipt', text)
      await page.click('#verify button')
      await page.waitForSelector('#verdicts .pill', SOON)
      return page.locator('#verdicts .pill').allTextContents()
    }

    test('accepts a right one: whole answer, receipt, id; refuses a changed one', async () => {
      const answer = await bought()
      const receipt = answer.result.paymentAttestation
      const VALID = ['This browser: valid', 'The service: valid']
      expect(await verdictOn(JSON.stringify(answer))).toEqual(VALID)
      expect(await verdictOn(JSON.stringify(receipt))).toEqual(VALID)
      expect(await verdictOn(receipt.attestationId)).toEqual(VALID)
      const changed = { ...receipt, payload: { ...receipt.payload, amount: '0.01' } }
      expect(await verdictOn(JSON.stringify(changed))).toEqual([
        'This browser: NOT valid',
        'The service: NOT valid',
      ])
      const other = { result: { ...answer.result, spread: {} } }
      expect(await verdictOn(JSON.stringify(other))).toEqual([
        'This browser: NOT valid',
        'The service: valid',
      ])
    })

    test('what is none is said to be none', async () => {
      expect(await verdictOn('words')).toEqual(['This is neither JSON nor the id of a receipt.'])
      expect(await verdictOn('a'.repeat(22))).toEqual(['There is no receipt with this id.'])
    })
  })
})
