import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStripe } from '../../../api/checkout/stripe.ts'
import { parseForm, textAt } from '../../../ops/sandbox/cardpay/form.ts'
import { cardFiles } from '../../../ops/sandbox/cardpay/keep.ts'
import { type Running, runMain } from '../../support/process.ts'

describe('forms as the client writes them', () => {
  test('nested names', () => {
    const form = parseForm('a=1&b%5Bc%5D%5B0%5D%5Bd%5D=x%20y&b[c][1][d]=z')
    expect([textAt(form, 'a'), textAt(form, 'b', 'c', '0', 'd'), textAt(form, 'b', 'c', '1', 'd')]).toEqual([
      '1',
      'x y',
      'z',
    ])
    expect([textAt(form, 'b'), textAt(form, 'none', 'x')]).toEqual([null, null])
  })

  test.each([
    '__proto__[polluted]=1',
    'constructor[prototype][polluted]=1',
    '[]=1',
    '',
    `${'a[b]'.repeat(20)}=1`,
  ])('%s harms nobody', (text) => {
    parseForm(text)
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
  })
})

describe('design 2: the card provider as a process', () => {
  let dir: string
  let running: Running
  const start = async () => {
    const env = { DATA_DIR: dir, PUBLIC_URL: 'http://127.0.0.1:1', LOG_LEVEL: 'warn' }
    running = runMain('ops/sandbox/cardpay/main.ts', { env })
    const [, url = ''] = await running.says(/"url":"([^"]+)"/)
    return openStripe({
      MODE: 'sandbox',
      STRIPE_API_URL: url,
      STRIPE_SECRET_KEY_FILE: cardFiles(dir).secretKey,
      STRIPE_WEBHOOK_SECRET_FILE: cardFiles(dir).webhookSecret,
    })!
  }
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'microdata-cardpay-'))
  })
  afterAll(async () => {
    await running?.kill()
    await rm(dir, { recursive: true, force: true })
  })

  test('makes its keys once, for the owner only, and keeps its sales over a restart', async () => {
    const { sessionId, url } = await (await start()).open({
      reference: 'r',
      sku: 'S',
      title: '<b>Title</b>',
      cents: 249,
      returnUrl: 'http://127.0.0.1/back',
      expiresMs: Date.now() + 3_600_000,
    })
    const page = await (await fetch(url)).text()
    expect(page).toContain('&lt;b&gt;Title&lt;/b&gt;')
    expect(page).toContain('2.49 USD')
    const form = { method: 'POST', body: new URLSearchParams({ deed: 'pay' }), redirect: 'manual' } as const
    expect((await fetch(url, form)).headers.get('location')).toBe('http://127.0.0.1/back')
    const key = await readFile(cardFiles(dir).secretKey, 'utf8')
    for (const file of Object.values(cardFiles(dir))) expect((await stat(file)).mode & 0o077).toBe(0)
    expect((await running.stop()).code).toBe(0)

    const again = await start()
    expect(await readFile(cardFiles(dir).secretKey, 'utf8')).toBe(key)
    expect(await again.truth(sessionId)).toMatchObject({ status: 'paid', reference: 'r', cents: 249 })
  })
})
