import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createRouter } from '../../api/http/router.ts'
import { serveHttp } from '../../api/http/server.ts'
import { assetRoute } from '../../api/pages/asset.ts'
import { ICON, STYLE } from '../../api/pages/shell.ts'
import { type AttestationPayload, signAttestation } from '../../api/receipts/attestation.ts'
import { receiptPages } from '../../api/receipts/page/index.ts'
import { signStatement, subjectOf } from '../../api/receipts/statement.ts'
import type { KeptReceipt } from '../../api/receipts/verify.ts'
import { newKey, ringOf } from '../api/receipts/keys.ts'
import {
  barriers,
  contrasts,
  noBrowser,
  startBrowser,
  type Watched,
  watchedPage,
} from '../support/browser.ts'
import { openLedger, quietLog } from '../support/ledger.ts'
import { startRedis } from '../support/redis.ts'

const SOON = { timeout: 10_000 }
const HOSTILE = '</code><script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">'
const idOf = (name: string) => name.padEnd(22, '0')

const [key, former] = [newKey(), newKey()]
const stated = (attestationId: string) => ({
  attestationId,
  merchant: 'http://127.0.0.1:8402',
  mode: 'sandbox' as const,
  payer: `0x${'11'.repeat(20)}`,
  transaction: `0x${'ab'.repeat(32)}`,
  issuedAt: '2026-11-21T00:00:00.000Z',
})
const receipt = (name: string, signing = key): KeptReceipt => {
  const payload: AttestationPayload = {
    format: 'service-receipt-v1',
    keyId: signing.keyId,
    ...stated(idOf(name)),
    sku: 'SKU_AG_PING_01',
    path: '/x402/v1/ping',
    amount: '0.01',
    amountAtomic: '10000',
    asset: '0x83',
    network: 'eip155:8453',
    payTo: '0x22',
    snapshotVersion: null,
    requestHash: 'a'.repeat(64),
    responseHash: 'b'.repeat(64),
  }
  return signAttestation(signing, payload)
}

describe.skipIf(noBrowser !== null)(`the page of a receipt in Chromium ${noBrowser ?? ''}`, () => {
  let redis: Awaited<ReturnType<typeof startRedis>>
  let ledger: ReturnType<typeof openLedger>
  let server: Awaited<ReturnType<typeof serveHttp>>
  let browser: Browser
  let open: Watched[] = []
  beforeAll(async () => {
    redis = await startRedis()
    ledger = openLedger(redis.url)
    const ports = { ledger: ledger.ledger, receiptKeys: ringOf(key, former) }
    server = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      handler: createRouter([...receiptPages(ports, () => ['/']), ...[STYLE, ICON].map(assetRoute)]),
      log: quietLog,
    })
    const good = receipt('good')
    const kept: Record<string, KeptReceipt> = {
      good,
      former: receipt('former', former),
      stranger: receipt('stranger', newKey()),
      forged: { ...good, payload: { ...good.payload, amount: '1000' } },
      stated: {
        ...good,
        statement: signStatement(key, subjectOf({ words: HOSTILE }), stated(idOf('stated'))),
      },
    }
    for (const [name, each] of Object.entries(kept))
      await ledger.redis.set(`attestation:${idOf(name)}`, JSON.stringify(each))
    browser = await startBrowser()
  })
  afterEach(async () => {
    for (const { page } of open) await page.close()
    open = []
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    ledger?.close()
    await redis?.stop()
  })

  const visit = async (id: string, options: Parameters<typeof watchedPage>[1] = {}) => {
    const watched = await watchedPage(browser, options)
    open.push(watched)
    await watched.page.goto(`http://127.0.0.1:${server.port}/receipts/${id}`)
    return watched
  }

  test.each(['good', 'former'])('%s: checked in the browser, and it holds', async (name) => {
    const { page, requests, complaints } = await visit(idOf(name))
    const verdict = () => page.textContent('#verdict')
    await expect.poll(verdict, SOON).toBe('Checked in this browser: the signature holds')
    expect(requests.filter((url) => !url.startsWith(`http://127.0.0.1:${server.port}/`))).toEqual([])
    expect(complaints).toEqual([])
  })

  test('changed by one word: the browser says so, and so did the server', async () => {
    const { page } = await visit(idOf('forged'))
    await expect
      .poll(() => page.textContent('#verdict'), SOON)
      .toBe('Checked in this browser: the signature does NOT hold')
    const plain = await visit(idOf('forged'), { javaScriptEnabled: false })
    expect(await plain.page.textContent('#verdict')).toContain('does NOT hold')
  })

  test('by a key that is none of ours: nothing says that it holds', async () => {
    const { page } = await visit(idOf('stranger'))
    await expect.poll(() => page.textContent('#verdict'), SOON).toContain('not checked here')
    expect(await page.textContent('#verdict')).toContain('does NOT hold')
  })

  test('without a script it is whole, with the verdict of the server', async () => {
    const { page } = await visit(idOf('good'), { javaScriptEnabled: false })
    expect(await page.textContent('#verdict')).toBe('Checked by the server: the signature is ours and holds')
    expect(await page.textContent('main')).toContain('0xabab')
  })

  test('without WebCrypto the verdict of the server stays, and it says why', async () => {
    const watched = await watchedPage(browser)
    open.push(watched)
    await watched.page.addInitScript('Object.defineProperty(crypto, "subtle", { value: undefined })')
    await watched.page.goto(`http://127.0.0.1:${server.port}/receipts/${idOf('good')}`)
    await expect.poll(() => watched.page.textContent('#verdict'), SOON).toContain('not checked here')
    expect(await watched.page.textContent('#verdict')).toContain('is ours and holds')
  })

  test("a caller's words stay words, and the signature over them holds", async () => {
    const { page } = await visit(`st_${idOf('stated')}`)
    await expect
      .poll(() => page.textContent('#verdict'), SOON)
      .toContain('in this browser: the signature holds')
    expect(await page.title()).not.toBe('owned')
    expect(await page.textContent('#signed')).toContain('</code><script>')
    expect(await page.locator('h1').textContent()).toBe('Statement of a caller')
  })

  test.each([
    ['phone, dark', { viewport: { width: 360, height: 780 }, colorScheme: 'dark' as const }],
    ['desktop, light', { colorScheme: 'light' as const }],
  ])('%s: nothing to scroll sideways, every text with a contrast of 4.5', async (_, options) => {
    const { page } = await visit(`st_${idOf('stated')}`, options)
    await expect.poll(() => page.textContent('#verdict'), SOON).toContain('in this browser')
    expect(
      await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
    ).toBe(true)
    expect((await contrasts(page))[0]!.ratio).toBeGreaterThanOrEqual(4.5)
    expect(await barriers(page)).toEqual([])
  })
})
