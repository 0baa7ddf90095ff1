import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { barriers, contrasts, noBrowser, overflow } from '../support/browser.ts'
import { type Shop, startShop } from '../support/shop.ts'

const SOON = { timeout: 20_000 }
const PHONE = { width: 390, height: 844 }

describe.skipIf(noBrowser !== null)(`buying and checking in Chromium ${noBrowser ?? ''}`, () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await startShop()
  })
  afterEach(() => shop.leave())
  afterAll(() => shop?.stop())

  describe('the box in the catalog', () => {
    const outcome = (page: Page) => page.textContent('#bought')

    test('shows the terms, pays them with the test wallet, checks the receipt', async () => {
      const { page, complaints } = await shop.visit('/catalog', { viewport: PHONE })
      await page.selectOption('#good', '/x402/v1/ping')
      await page.fill('#ping-echo', 'hällo & <b>')
      expect(await page.isDisabled('#buy')).toBe(true)
      await page.click('#try-box button[type=submit]')
      await expect.poll(() => page.textContent('#asked'), SOON).toContain('0.01 USD')
      const terms = (await page.textContent('#asked'))!
      for (const words of [
        'eip155:8453',
        shop.chain.receiver,
        shop.chain.usdc,
        'seconds',
        'payment-identifier',
      ])
        expect(terms).toContain(words)
      const before = await shop.chain.balance(shop.chain.receiver)
      await page.click('#buy')
      await expect.poll(() => outcome(page), SOON).toContain('Checked in this browser: valid')
      expect(await outcome(page)).toContain('hällo & <b>')
      expect(await outcome(page)).toContain('PAYMENT-RESPONSE')
      expect((await shop.chain.balance(shop.chain.receiver)) - before).toBe(10_000n)
      expect((await contrasts(page)).filter(({ ratio }) => ratio < 4.5)).toEqual([])
      expect(await barriers(page)).toEqual([])
      expect(await overflow(page)).toEqual([])
      expect(complaints.filter((words) => !words.includes('402'))).toEqual([])
    })

    test('a payment that is still being settled is sent again, and never signed again', async () => {
      const { page } = await shop.visit('/catalog')
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

    /** What the page asked the wallet for, and the payments it sent. */
    const watchPayments = (page: Page) => {
      const [signed, sent]: [unknown[], string[]] = [[], []]
      page.on('request', async (request) => {
        if (request.url().endsWith('/sandbox/sign')) signed.push(request.postDataJSON())
        const payment = await request.headerValue('payment-signature')
        if (payment !== null) sent.push(payment)
      })
      return { signed, sent }
    }
    const askForPrice = async (page: Page) => {
      await page.click('#try-box button[type=submit]')
      await page.waitForSelector('#asked h3', SOON)
    }

    test('a double click buys once', async () => {
      const { page } = await shop.visit('/catalog')
      const { signed, sent } = watchPayments(page)
      const before = await shop.chain.balance(shop.chain.receiver)
      await askForPrice(page)
      await page.dblclick('#buy')
      await expect.poll(() => outcome(page), SOON).toContain('Checked in this browser: valid')
      expect([signed.length, sent.length]).toEqual([1, 1])
      expect((await shop.chain.balance(shop.chain.receiver)) - before).toBe(1_000n)
    })

    test('no answer to a payment: it is kept, can be sent again, and is taken once', async () => {
      const { page } = await shop.visit('/catalog')
      await page.clock.install()
      const { signed, sent } = watchPayments(page)
      let isCut = true
      await page.route('**/x402/v1/spread', async (route) => {
        const pays = (await route.request().headerValue('payment-signature')) !== null
        return isCut && pays ? route.abort() : route.continue()
      })
      const before = await shop.chain.balance(shop.chain.receiver)
      await askForPrice(page)
      await page.click('#buy')
      const said = async () => {
        await page.clock.runFor(2_000)
        return page.textContent('#told')
      }
      await expect.poll(said, SOON).toContain('Send the same payment again')
      isCut = false
      //  whatever is asked meanwhile
      await page.selectOption('#good', '/x402/v1/ping')
      await askForPrice(page)
      expect(await page.textContent('#buy')).toBe('Sign and pay')
      await page.selectOption('#good', '/x402/v1/spread')
      await askForPrice(page)
      expect(await page.textContent('#buy')).toBe('Send the same payment again')
      await page.click('#buy')
      await expect.poll(() => outcome(page), SOON).toContain('Checked in this browser: valid')
      expect([signed.length, sent.length, new Set(sent).size]).toEqual([1, 6, 1])
      expect((await shop.chain.balance(shop.chain.receiver)) - before).toBe(1_000n)
    })

    test('the wallet does not sign: it is said why, and nothing is sent', async () => {
      const { page } = await shop.visit('/catalog')
      const { sent } = watchPayments(page)
      const problem = {
        ok: false,
        code: 'chain_unavailable',
        title: 'The chain does not answer',
        next: 'Wait.',
      }
      await page.route('**/sandbox/sign', (route) => route.fulfill({ status: 503, json: problem }))
      await askForPrice(page)
      await page.click('#buy')
      await expect.poll(() => outcome(page), SOON).toContain('503 chain_unavailable')
      expect([await page.textContent('#told'), sent]).toEqual(['Refused with 503.', []])
      expect(await page.isEnabled('#buy')).toBe(true) //  the terms still hold
    })

    test('nobody answers the question: said, and it can be asked again', async () => {
      const { page } = await shop.visit('/catalog')
      await page.route('**/x402/v1/spread', (route) => route.abort())
      await page.click('#try-box button[type=submit]')
      await expect.poll(() => page.textContent('#told'), SOON).toContain('does not answer')
      await page.unroute('**/x402/v1/spread')
      await askForPrice(page)
    })

    test('a link names the read: from the live board, and within the page', async () => {
      const { page } = await shop.visit('/')
      await page.click('#goods a[href="/catalog#try-dns"]')
      await expect.poll(() => page.inputValue('#good'), SOON).toBe('/x402/v1/dns')
      expect(await page.isVisible('#dns-q')).toBe(true)
      await page.evaluate("location.hash = '#try-move'")
      await expect.poll(() => page.inputValue('#good'), SOON).toBe('/x402/v1/move')
      await page.evaluate("location.hash = '#utility'")
      expect(await page.inputValue('#good')).toBe('/x402/v1/move')
    })

    test('a refusal is shown in its own words, and nothing is paid', async () => {
      const { page } = await shop.visit('/catalog')
      await page.selectOption('#good', '/x402/v1/dns')
      await page.fill('#dns-q', 'localhost')
      const before = await shop.chain.balance(shop.chain.receiver)
      await page.click('#try-box button[type=submit]')
      await page.waitForSelector('#asked h3', SOON)
      await page.click('#buy')
      await expect.poll(() => outcome(page), SOON).toMatch(/4\d\d \w+/)
      expect(await shop.chain.balance(shop.chain.receiver)).toBe(before)
    })

    test('terms that come after the question was changed are not shown', async () => {
      const { page } = await shop.visit('/catalog')
      let answer = () => {}
      await page.route('**/x402/v1/spread', async (route) => {
        await new Promise<void>((resolve) => {
          answer = resolve
        })
        await route.continue()
      })
      await page.click('#try-box button[type=submit]')
      await expect.poll(() => page.textContent('#told'), SOON).toBe('Asking.')
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
      const { page } = await shop.visit('/catalog')
      await page.click('#try-box button[type=submit]')
      await expect.poll(() => page.isEnabled('#buy'), SOON).toBe(true)
      await page.fill('#spread-q', 'fed')
      expect([await page.isDisabled('#buy'), await page.textContent('#asked')]).toEqual([true, ''])
      await page.selectOption('#good', '/x402/v1/hour-pass')
      expect(await page.isVisible('#spread-q')).toBe(false)
    })

    test('the keyboard does it all', async () => {
      const { page } = await shop.visit('/catalog')
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
      expect(await focused()).toBe('buy') //  nobody was sent back to the top of the page
    })

    test('without a script the page is whole and says so', async () => {
      const { page } = await shop.visit('/catalog', { javaScriptEnabled: false })
      expect(await page.textContent('#try-box')).toContain('needs JavaScript')
      expect(await page.locator('table.records tbody tr').count()).toBeGreaterThan(25)
    })
  })

  describe('the form on the page of receipts', () => {
    const bought = async () => {
      const { page } = await shop.visit('/catalog')
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
      const { page } = await shop.visit('/receipt-oracle')
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
