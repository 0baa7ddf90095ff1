import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CREDIT_BALANCE_HEADER } from '../../../api/entitlements/credit.ts'
import { PROBLEMS } from '../../../api/errors.ts'
import { isCoveredByPass } from '../../../api/goods/good.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { SERVICES } from '../../../api/goods/services/index.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { openApi } from '../../../api/openapi/openApi.ts'
import { openPages } from '../../../api/pages/index.ts'
import { SANDBOX_SIGN_PATH } from '../../../api/pages/sandboxSign.ts'
import { SITE_PAGES } from '../../../api/pages/site/index.ts'
import type { Facts } from '../../../api/storefront/facts.ts'
import { DOCUMENTS } from '../../../api/storefront/index.ts'
import { PLACES } from '../../../api/storefront/places.ts'
import { moneyRules } from '../../../api/storefront/prose.ts'
import { formatUsdc } from '../../../ops/units.ts'
import { someFacts } from '../../support/facts.ts'
import { quietLog } from '../../support/ledger.ts'

const facts = someFacts()
const HTML = 'text/html'
const FORMS = [
  [HTML, 'text/html; charset=utf-8', /^<!doctype html>/],
  ['text/markdown', 'text/markdown; charset=utf-8', /^# /],
  ['application/json', 'application/json', /^\{/],
] as const

const serve = (of: Facts, paths: string[]) =>
  serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler: createRouter(
      openPages({
        facts: of,
        held: () => {
          throw new Error('the board is not asked for here')
        },
        paths: () => paths,
      }),
    ),
    log: quietLog,
  })

let sandbox: Awaited<ReturnType<typeof serve>>
let live: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  sandbox = await serve(facts, [...SITE_PAGES.map(({ place }) => PLACES[place].path), SANDBOX_SIGN_PATH])
  live = await serve(someFacts({ mode: 'live', cardCheckout: false, openingSale: true }), ['/', '/catalog'])
})
afterAll(() => Promise.all([sandbox?.close(), live?.close()]))

const ask = (path: string, accept: string, headers: Record<string, string> = {}, server = sandbox) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { accept, ...headers } })
const textOf = async (path: string, accept: string, server = sandbox) =>
  (await ask(path, accept, {}, server)).text()

test('the style of another version is asked of this one: it gets its own, which nobody keeps', async () => {
  const html = await textOf('/agents', HTML)
  const paths = [...html.matchAll(/"(\/assets\/(?:style|icon)-[^"]+)"/g)].map(([, path]) => path!)
  expect(paths).toHaveLength(2)
  for (const path of paths) {
    const ours = await ask(path, '*/*')
    expect(ours.headers.get('cache-control')).toContain('immutable')
    const other = await ask(path.replace(/-[0-9a-f]{12}/, '-0123456789ab'), '*/*')
    expect([other.status, other.headers.get('content-type')]).toEqual([200, ours.headers.get('content-type')])
    expect([other.headers.get('cache-control'), other.headers.get('etag')]).toEqual([
      'private, no-store',
      null,
    ])
    expect(await other.text()).toBe(await ours.text())
  }
  for (const path of [
    '/assets/style-0123456789ab.js',
    '/assets/client-0123456789ab.js',
    '/assets/style.css',
    '/assets/',
  ])
    expect((await ask(path, '*/*')).status, path).toBe(404)
})

test.each(SITE_PAGES.map(({ place }) => PLACES[place]))(
  '$path names its one address, and what a link to it shows',
  async ({ path, title }) => {
    const html = await textOf(path, HTML)
    const url = `${facts.publicUrl}${path}`
    expect(html.match(/<link rel="canonical" href="([^"]+)">/)?.[1]).toBe(url)
    const shown = [...html.matchAll(/<meta property="og:(\w+)" content="([^"]+)">/g)].map(
      ([, name, value]) => [name, value],
    )
    expect(Object.fromEntries(shown)).toMatchObject({
      type: 'website',
      url,
      title: expect.stringContaining(title),
    })
    const description = /<meta name="description" content="([^"]+)">/.exec(html)![1]
    expect(Object.fromEntries(shown).description).toBe(description)
  },
)

describe.each(SITE_PAGES.map(({ place }) => PLACES[place].path))('GET %s', (path) => {
  test.each(FORMS)('as %s', async (accept, type, begins) => {
    const answer = await ask(path, accept)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('vary')).toMatch(/accept/i)
    const text = await answer.text()
    expect(text).toMatch(begins)
    expect(text).not.toMatch(/undefined|NaN|\[object|\bnull USD/)
    const etag = answer.headers.get('etag')!
    expect((await ask(path, accept, { 'if-none-match': etag })).status).toBe(304)
    const [other] = FORMS.filter(([form]) => form !== accept)
    expect((await ask(path, other![0], { 'if-none-match': etag })).status).toBe(200)
  })

  test('one h1, headings without a step left out, every id once, nothing inline', async () => {
    const text = await textOf(path, HTML)
    const levels = [...text.matchAll(/<h(\d)/g)].map(([, level]) => Number(level))
    expect(levels[0]).toBe(1)
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    expect(levels.every((level, at) => at === 0 || level - levels[at - 1]! <= 1)).toBe(true)
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|<[^>]*\s(?:style|on\w+)=/i)
    for (const [, id] of text.matchAll(/(?:for|aria-labelledby)="([^"]+)"/g)) expect(ids).toContain(id)
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id)
  })

  test('every column of its markdown tables is filled or left empty, never lost', async () => {
    const rows = (await textOf(path, 'text/markdown')).split('\n').filter((line) => /^\| /.test(line))
    let columns = 0
    for (const [at, row] of rows.entries()) {
      const bars = row.match(/(?<!\\)\|/g)!.length
      if (/^\| ---/.test(rows[at + 1] ?? '')) columns = bars
      expect([row, bars]).toEqual([row, columns])
    }
  })
})

describe('what the pages say is what the records say', () => {
  test('/errors has a place for every code: `type` of a problem leads there', async () => {
    const text = await textOf('/errors', HTML)
    const { errors } = JSON.parse(await textOf('/errors', 'application/json'))
    for (const code of Object.keys(PROBLEMS)) expect(text).toContain(`<tr id="${code}">`)
    expect(errors.map(({ code }: { code: string }) => code).sort()).toEqual(Object.keys(PROBLEMS).sort())
    expect(errors[0].type).toBe(`/errors#${errors[0].code}`)
  })

  test.each([
    ['Market reads', 'Paid by x402, hour pass, store credit, or transfer'],
    [
      'Receipts and rail check',
      'Paid by x402, store credit, or transfer; by hour pass where the last column says so',
    ],
    [
      'Feed tokens',
      'Paid by x402, store credit, or transfer; without a path by [classic purchase](/checkout-help)',
    ],
    ['Store credit', 'Paid by x402 or transfer'],
    ['Reports', 'Bought by [classic purchase](/checkout-help)'],
  ])('/catalog: %s: %s', async (title, words) => {
    const text = await textOf('/catalog', 'text/markdown')
    const [, section = ''] = text.split(`\n## ${title}\n`)
    expect(section.trim().split('\n')[0]).toBe(words)
  })

  test('the box of /catalog is filled in so that each read can be bought as it stands', async () => {
    const text = await textOf('/catalog', HTML)
    for (const good of GOODS) {
      const [, fields = ''] = text.split(`data-path="${good.path}"`)
      const named = [...fields.slice(0, fields.indexOf('</div>')).matchAll(/ name="(\w+)" value="([^"]*)"/g)]
      const filled = Object.fromEntries(
        named
          .map(([, name, value]) => [name!, value!.replaceAll('&quot;', '"')])
          .filter(([, value]) => value !== ''),
      )
      expect([good.path, good.input.safeParse(filled).success]).toEqual([good.path, true])
    }
  })

  test('/catalog has every good with the price that is charged and its parameters', async () => {
    const { collections } = JSON.parse(await textOf('/catalog', 'application/json'))
    const shown = new Map<string, Record<string, unknown>>(
      collections.flatMap(({ goods }: { goods: Record<string, unknown>[] }) =>
        goods.map((good) => [good.sku, good]),
      ),
    )
    const text = await textOf('/catalog', HTML)
    for (const good of GOODS) {
      const record = shown.get(good.sku)!
      const price = formatUsdc(good.priceMicroUsdc)
      expect(String(record.priceUsdc)).toBe(price)
      expect(record.coveredByHourPass).toBe(isCoveredByPass(good))
      expect(text).toContain(`<option value="${good.path}"`)
      const row = text.slice(text.indexOf(`>${good.path}</a>`))
      const cells = row.slice(0, row.indexOf('</tr>'))
      const usd = (amount: string) => `${amount.replace(/^(\d+)$/, '$1.00').replace(/\.(\d)$/, '.$10')} USD`
      const listed =
        good.listPriceMicroUsdc > good.priceMicroUsdc ? formatUsdc(good.listPriceMicroUsdc) : null
      expect(cells).toContain(`<td data-label="Price" class="num short">${usd(price)}<`)
      expect(cells).toContain(`>${listed === null ? 'the same' : usd(listed)}</td>`)
      for (const { name } of good.parameters)
        expect(text).toContain(`<label for="${good.path.slice(9)}-${name}">`)
    }
    expect(shown.size).toBe(facts.catalog.length)
  })

  test.each(['/agents', '/commerce'])('%s names the header that says what credit is left', async (path) => {
    expect(await textOf(path, 'text/markdown')).toContain(`\`${CREDIT_BALANCE_HEADER}\``)
  })

  test('/errors: nothing is charged where a row does not say that something was', async () => {
    const text = await textOf('/errors', 'text/markdown')
    const [, change] = text.split('## Other 4xx')
    expect(change).toContain('`payer_unproven`') //  its money has arrived
    for (const said of change!.match(/Nothing is charged.*/g) ?? [])
      expect(said).toMatch(/^Nothing is charged, unless the row says that something was\./)
  })

  test('/install/tor-mcp and the catalog say how long an unlock key works', async () => {
    expect(await textOf('/install/tor-mcp', 'text/markdown')).toContain(
      'works for 10 years, until its `expiresAt`',
    )
    expect(await textOf('/catalog', 'text/markdown')).toContain('and works for 10 years')
  })

  test('what is sold without a path: /catalog and the full text say what to send for it', async () => {
    expect(SERVICES.find(({ sku }) => sku === 'SKU_TIP_00')!.presented.deliveryNote).toContain(
      'options.tipUsdc: 0.01 to 1000 USDC',
    )
    expect(SERVICES.find(({ sku }) => sku === 'SKU_DLQ_01')!.presented.deliveryNote).toContain(
      '1 to 100 strings, 64 KiB together',
    )
    const full = String(DOCUMENTS.find(({ path }) => path === '/llms-full.txt')!.text(facts))
    const catalog = await textOf('/catalog', 'text/markdown')
    for (const { sku, presented } of SERVICES) {
      expect(catalog.split('\n').find((row) => row.includes(sku))).toContain(presented.deliveryNote)
      expect(full.split('\n').find((line) => line.startsWith(`- ${sku}`))).toContain(presented.deliveryNote)
    }
    expect(full).toContain('- SKU_TIP_00, Patron tip: you name the price.')
  })

  test('/docs as JSON is the OpenAPI document, and as HTML has every operation of it', async () => {
    expect(JSON.parse(await textOf('/docs', 'application/json'))).toEqual(
      JSON.parse(JSON.stringify(openApi(facts))),
    )
    const text = await textOf('/docs', HTML)
    for (const [path, methods] of Object.entries(openApi(facts).paths))
      for (const method of Object.keys(methods))
        expect(text).toContain(`<code>${method.toUpperCase()} ${path}</code>`)
  })

  test('what every status of a paid GET means for the money: in /agents, the skill and the full text', async () => {
    const { responses } = openApi(facts).paths['/x402/v1/ping']!.get!
    const statuses = Object.keys(responses)
      .map((status) => (status === 'default' ? '500' : status))
      .slice(1)
    expect(statuses).toEqual(expect.arrayContaining(['402', '403', '409', '410', '500', '503']))
    const table = await textOf('/agents', 'text/markdown')
    const rows = table.split('\n').filter((line) => /^\| [\d, ]+ \|/.test(line))
    const rules = moneyRules().split('\n')
    for (const status of statuses) {
      expect(
        rows.filter((row) => row.split('|')[1]!.includes(status)),
        status,
      ).toHaveLength(1)
      expect(
        rules.some((rule) => rule.split(':')[0]!.includes(status)),
        status,
      ).toBe(true)
    }
    const saidOf = (texts: string[], status: string) => texts.find((text) => text.startsWith(status))
    for (const said of [saidOf(rows, '| 410'), saidOf(rules, '- 410')])
      expect(said).toMatch(/long ago.*authorization was cancelled/)
    expect(saidOf(rows, '| 429')).toContain('by this request') //  what is sent again may have moved before
    const named = (texts: string[]) => new Set(texts.flatMap((text) => text.match(/\b[45]\d\d\b/g) ?? []))
    expect(named(rows.map((row) => row.split('|')[1]!))).toEqual(
      named(rules.map((rule) => rule.split(':')[0]!)),
    )
  })

  test('which wallets can pay: in /agents, the skill and the full text', async () => {
    const textAt = (path: string) => String(DOCUMENTS.find((document) => document.path === path)!.text(facts))
    const texts = [await textOf('/agents', 'text/markdown'), textAt('/skill.md'), textAt('/llms-full.txt')]
    for (const text of texts)
      expect(text).toMatch(/an ordinary account or a contract wallet \(EIP-1271\); deploy/)
  })

  test('/quickstart shows the same examples in all forms', async () => {
    const { examples } = JSON.parse(await textOf('/quickstart', 'application/json'))
    const markdown = await textOf('/quickstart', 'text/markdown')
    expect(examples.map(({ id }: { id: string }) => id)).toEqual([
      'ask',
      'sign',
      'curl',
      'typescript',
      'python',
    ])
    for (const { code, language } of examples)
      expect(markdown).toContain(`\`\`\`${language}\n${code}\n\`\`\``)
  })

  test('the sandbox can buy in the catalog, what is live cannot, and says how it is with cards and the sale', async () => {
    expect(await textOf('/catalog', HTML)).toContain('<button type="button" id="buy" disabled>')
    const text = await textOf('/catalog', HTML, live)
    expect(text).not.toContain('id="buy"')
    expect(text).toContain('<span class="pill">live</span>')
    expect(await textOf('/commerce', HTML, live)).toContain('card_checkout_off')
    expect(await textOf('/commerce', HTML, live)).toContain('Active: <code>SKU_INQUIRY_01</code>')
    expect(await textOf('/commerce', HTML)).toContain('Not active.')
  })

  test('/commerce: whichever way a sale was paid, the note of its refund is signed (design 4)', async () => {
    const lines = (await textOf('/commerce', 'text/markdown')).split('\n')
    const refunds = lines.filter((line) => line.includes('60 seconds'))
    expect(refunds.map((line) => line.includes('signed note'))).toEqual([true, true])
  })

  test('navigation leads only to what is served', async () => {
    const navs = (await textOf('/catalog', HTML, live)).match(
      /<nav aria-label="(Pages|More)">[\s\S]*?<\/nav>/g,
    )!
    const hrefs = navs.flatMap((nav) => [...nav.matchAll(/href="([^"]+)"/g)].map(([, href]) => href))
    expect(hrefs).toEqual(['/', '/catalog'])
  })
})
