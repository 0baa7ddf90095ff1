import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CATALOG } from '../../../api/catalog/catalog.ts'
import { GOODS } from '../../../api/goods/index.ts'
import type { ResponseObject } from '../../../api/openapi/build.ts'
import type { OpenApi } from '../../../api/openapi/openApi.ts'
import { chargedBy } from '../../../api/storefront/audit/charged.ts'
import { disagreements, SurfaceAudit } from '../../../api/storefront/audit/compare.ts'
import { READERS, type Said, SURFACES, type Surface } from '../../../api/storefront/audit/readers.ts'
import { ServiceEntry } from '../../../api/storefront/entry.ts'
import { PLACES, type Place } from '../../../api/storefront/places.ts'
import { usdcNumber } from '../../../ops/units.ts'
import { schemaChecker } from '../../api/openapi/support.ts'
import { get, offerOf, paid, payment, rawRequest } from '../../support/buyer.ts'
import { connectMcp } from '../../support/mcp.ts'
import { exampleQuery, startWorld, type World } from './world.ts'

let world: World
let base: string
/** What the 402 of each good charges: the truth that all surfaces are held against. */
let charged: Said[]
/** Schemas of the answer, of each surface that has one, by path. */
const answerSchemas = new Map<string, [surface: string, schema: object][]>()
let document: OpenApi
let check: ReturnType<typeof schemaChecker>
beforeAll(async () => {
  world = await startWorld({ SECURITY_CONTACT: 'mailto:security@example.com' })
  base = world.base
  document = await json('/openapi.json')
  check = schemaChecker(document)
  const { tools } = await listedTools()
  charged = await Promise.all(
    GOODS.map(async ({ path }) => {
      const unpaid = await get(`${base}${path}`)
      const { extensions } = JSON.parse(Buffer.from(unpaid.header('payment-required')!, 'base64').toString())
      const ok = document.paths[path]!.get!.responses['200'] as ResponseObject
      answerSchemas.set(path, [
        ['the 402', extensions.bazaar.schema.properties.output.properties.example],
        ['/openapi.json', ok.content!['application/json']!.schema],
        ['/mcp', tools.find(({ name }) => path === `/x402/v1/${name}`)!.outputSchema!],
      ])
      return chargedBy(unpaid.header('payment-required')!, unpaid.text)
    }),
  )
})
afterAll(() => world?.stop())

const received = () => world.chain.balance(world.chain.receiver)
const json = async (path: string) => (await get(`${base}${path}`, { accept: 'application/json' })).json

/** A surface as a stranger gets it; the tools are asked for over their own protocol. */
async function textOf(surface: Surface): Promise<string> {
  if (surface !== '/mcp') {
    const answer = await get(`${base}${surface}`, { accept: 'application/json' })
    expect(answer.status, surface).toBe(200)
    return answer.text
  }
  return JSON.stringify(await listedTools())
}

async function listedTools() {
  const client = await connectMcp(base)
  try {
    return await client.listTools()
  } finally {
    await client.close()
  }
}

describe('VAL-18, OPS-04, 4.1 every surface says of every good what is charged for it', () => {
  test.each(SURFACES)('%s', async (surface) => {
    const said = READERS[surface](await textOf(surface))
    expect(said).toHaveLength(GOODS.length)
    expect(disagreements(surface, said, charged)).toEqual([])
  })

  test.each(GOODS.map((good) => [good.path, good] as const))(
    '%s: a purchase with the published examples moves the published amount',
    async (path, good) => {
      const said = charged.find((each) => each.path === path)!
      const { header } = await payment(await offerOf(base, path), world.chain.buyers[0]!)
      const before = await received()
      const answer = await get(`${base}${path}${exampleQuery(good)}`, paid(header))
      expect(answer.status, answer.text).toBe(200)
      expect(answer.json).toMatchObject({ ok: true, sku: said.sku })
      for (const [surface, schema] of answerSchemas.get(path)!)
        expect([surface, check(schema, answer.json)]).toEqual([surface, null])
      expect((await received()) - before).toBe(BigInt(said.amount!))
      expect(answer.json.result.paymentAttestation.payload.amountAtomic).toBe(said.amount)
    },
  )

  test.each(CATALOG.filter(({ onSale, sku }) => onSale && sku !== 'SKU_TIP_00'))(
    '$sku: POST /quote asks for the listed price',
    async ({ sku, priceUsdc, basePriceUsdc }) => {
      const body = JSON.stringify({ sku })
      const { status, json } = await rawRequest(base, { path: '/quote', method: 'POST', body })
      expect([status, Number(json.offer?.amountUsdc)]).toEqual([200, priceUsdc])
      expect(json.offer.agentPricing).toMatchObject({ agentPriceUsdc: priceUsdc, basePriceUsdc })
    },
  )

  test('/catalog as HTML: a row for each good, with its SKU and its price', async () => {
    const { text } = await get(`${base}/catalog`, { accept: 'text/html' })
    const rows = text.split('<tr').filter((row) => row.includes('href="/x402/v1/'))
    expect(rows).toHaveLength(GOODS.length)
    for (const { path, sku, priceMicroUsdc } of GOODS) {
      const row = rows.find((each) => each.includes(`href="${path}"`)) ?? ''
      const texts = row.split(/<[^>]*>/)
      expect(texts, path).toContain(sku)
      const price = texts.find((text) => /^[\d.]+ USD/.test(text)) ?? ''
      expect([path, Number.parseFloat(price)]).toEqual([path, usdcNumber(priceMicroUsdc)])
    }
  })

  test('/surface-audit.json: the service finds the same about itself', async () => {
    const { surfaces } = await json('/surface-audit.json')
    const audit = SurfaceAudit.parse(surfaces)
    expect(audit).toMatchObject({ goods: GOODS.length, agree: true, disagreements: [] })
    expect(audit.checked.map(({ path }) => path)).toEqual(SURFACES)
  })
})

describe('2 and 4.2 the discovery resources have the fields that were promised', () => {
  test('/x402/services.json: list price beside the charged one, the spend cap of match, the hour pass', async () => {
    const listing = await json('/x402/services.json')
    expect(listing).toMatchObject({
      x402Version: 2,
      mode: 'sandbox',
      network: 'eip155:8453',
      payTo: world.chain.receiver,
      settler: { mode: 'facilitator', network: 'eip155:8453', asset: listing.asset },
    })
    const services = listing.services.map((entry: unknown) => ServiceEntry.parse(entry)) as ServiceEntry[]
    for (const good of GOODS)
      expect(services.find(({ sku }) => sku === good.sku)).toMatchObject({
        priceUsdc: usdcNumber(good.priceMicroUsdc),
        basePriceUsdc: usdcNumber(good.listPriceMicroUsdc),
        coveredByHourPass:
          good.grant === undefined && good.creditMicroUsdc === undefined && good.subject === undefined,
      })
    expect(services.filter(({ maxSpendUsdc }) => maxSpendUsdc !== undefined)).toMatchObject([
      { path: '/x402/v1/match', maxSpendUsdc: 0.1, priceUsdc: 0.001, basePriceUsdc: 0.05 },
    ])
  })

  test('/agent-store.json: manifest 2.12, the whole catalog, the opening sale, the stated floor', async () => {
    expect(await json('/agent-store.json')).toMatchObject({
      manifestVersion: '2.12',
      statedPriceFloorUsdc: 0.05,
      catalog: CATALOG,
      openingSale: {
        active: false,
        sku: 'SKU_INQUIRY_01',
        slotsTotal: 100,
        slotsFulfilled: 0,
        slotsReserved: 0,
        slotsRemaining: 100,
        soldOut: false,
        priceUsdc: 0,
        requirements: { length: 3 },
      },
    })
  })

  test('/payment-rails: default usdc_base; the token contract; who settles; no secret of a rail', async () => {
    const rails = await json('/payment-rails')
    expect(rails).toMatchObject({
      ok: true,
      defaultRail: 'usdc_base',
      usdcContract: charged[0]!.asset,
      settler: { mode: 'facilitator', facilitator: { verifies: true, settles: true } },
    })
    const names =
      'id label chain asset receiverAddress alternateReceivers explorer wallet agentDefault'.split(' ')
    for (const rail of rails.rails) expect(Object.keys(rail)).toEqual([...names, 'available', 'discovers'])
    expect(rails.rails.length + rails.unavailable.length).toBe(9)
    expect(rails.rails[0]).toMatchObject({
      id: 'usdc_base',
      receiverAddress: world.chain.receiver,
      agentDefault: true,
    })
  })

  test('/.well-known/receipt-oracle.json: the fields of 2.5, with the format, the algorithm and the key', async () => {
    expect(await json('/.well-known/receipt-oracle.json')).toMatchObject({
      name: expect.stringMatching(/./),
      format: 'service-receipt-v1',
      algorithm: 'ed25519',
      merchant: base,
      publicKeyPem: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
      verify: {
        get: `${base}/api/receipt-oracle/verify?id={attestationId}`,
        post: `${base}/api/receipt-oracle/verify`,
        body: { id: 'optional', payload: 'optional', signature: 'optional' },
      },
      issue: {
        automatic: true,
        product: { sku: 'SKU_RECEIPT_ORACLE_01', note: expect.stringMatching(/./) },
      },
      docs: `${base}/receipt-oracle`,
      llms: `${base}/llms.txt`,
    })
  })

  test('/.well-known/security.txt: the configured contact, and an expiry ahead, below a year', async () => {
    const { text, header } = await get(`${base}/.well-known/security.txt`)
    expect(header('content-type')).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^Contact: mailto:security@example\.com$/m)
    expect(text).toContain(`Canonical: ${base}/.well-known/security.txt`)
    const days = (Date.parse(/^Expires: (.*)$/m.exec(text)![1]!) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(30)
    expect(days).toBeLessThan(366)
  })

  test.each(['GET', 'HEAD'])('RFC 9727: a %s of the API catalog has its relation in Link', async (method) => {
    const { status, header } = await rawRequest(base, { path: PLACES.apiCatalog.path, method })
    expect([status, header('link')]).toEqual([200, '</.well-known/api-catalog>; rel="api-catalog"'])
  })

  test('each is asked for again by its ETag, and answers HEAD', async () => {
    for (const { path } of [PLACES.services, PLACES.store, PLACES.llms, PLACES.apiCatalog]) {
      const first = await get(`${base}${path}`)
      const again = await get(`${base}${path}`, { 'if-none-match': first.header('etag')! })
      expect([path, again.status, again.text]).toEqual([path, 304, ''])
      const head = await rawRequest(base, { path, method: 'HEAD' })
      expect([path, head.status, head.text]).toEqual([path, 200, ''])
      expect(head.header('content-type')).toBe(first.header('content-type'))
    }
  })
})

/** Paths that rightly refuse a plain GET: the status, and why. */
const REFUSED: Readonly<Record<string, [number, string]>> = {
  '/api/v1/alpha-feed': [401, 'needs a feed token'],
  '/api/v1/stream': [426, 'is a WebSocket'],
  '/api/v1/tor-call-permit': [401, 'needs a permit'],
  '/api/tor-mcp/verify': [405, 'POST'],
  '/api/receipt-oracle/verify': [400, 'needs an id'],
  '/history': [503, 'there is no ClickHouse in this world'],
  '/mcp': [405, 'POST; it has no stream of its own'],
  '/a2a': [404, 'the base of paths'],
  '/sandbox/sign': [405, 'POST'],
  '/purchase-intent': [405, 'POST'],
  '/fulfill': [405, 'POST'],
  '/quote': [405, 'POST'],
  '/checkout/settle': [405, 'POST'],
  '/cardpay/checkout': [405, 'POST'],
  '/cardpay/checkout-status': [503, 'card checkout is not configured'],
}

/** Whether a path is a template with something to fill in. */
const isTemplate = (path: string) => /[{}$<…]|NAME|\/\.\.\.|%7B/.test(path)

describe('4.2 every link on every surface leads somewhere', () => {
  const surfaces = [
    ...new Set([
      ...Object.values(PLACES).map(({ path }) => path),
      ...SURFACES,
      '/sitemap.xml',
      '/robots.txt',
    ]),
    '/.well-known/mcp/catalog.json',
    '/.well-known/mcp/server-card.json',
    '/.well-known/security.txt',
  ]

  /** Absolute URLs of ours in any text, and in HTML the relative ones too. */
  const linksIn = (text: string): string[] => [
    ...[...text.matchAll(new RegExp(`${base.replaceAll('.', '\\.')}(/[^\\s&"'\`<>)\\\\|,]*)`, 'g'))].map(
      ([, path]) => path!,
    ),
    ...[...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path]) => path!.replaceAll('&amp;', '&')),
    ...[...text.matchAll(/\]\((\/[^)\s]*)\)/g)].map(([, path]) => path!),
  ]

  /** @returns 0 when there is no answer in time. */
  const statusOf = async (path: string): Promise<number> => {
    const answer = await fetch(`${base}${path}`, { signal: AbortSignal.timeout(15_000) }).catch(() => null)
    await answer?.body?.cancel()
    return answer?.status ?? 0
  }

  test('as HTML, markdown and JSON', async () => {
    const seen = new Map<string, string>()
    for (const surface of surfaces) {
      const isPage = Object.values<Place>(PLACES).some(
        ({ path, type }) => path === surface && type === 'text/html',
      )
      for (const accept of isPage ? ['text/html', 'text/markdown', 'application/json'] : ['*/*']) {
        const { text, status } = await get(`${base}${surface}`, { accept })
        if (status >= 400) continue
        for (const link of linksIn(text)) {
          const path = link.replace(/[#?].*$/, '').replace(/[.;:]+$/, '')
          if (!isTemplate(link) && !seen.has(path)) seen.set(path, surface)
        }
      }
    }
    expect(seen.size).toBeGreaterThan(GOODS.length)
    const broken: string[] = []
    for (const [path, surface] of seen) {
      const status = await statusOf(path)
      const [refused] = REFUSED[path] ?? []
      const isRight = refused === undefined ? status < 400 || status === 402 : status === refused
      if (!isRight) broken.push(`${surface} → ${path}: ${status}`)
    }
    expect(broken).toEqual([])
  }, 120_000)

  test('every place of the table is served', async () => {
    const answers = await Promise.all(
      Object.values(PLACES).map(async ({ path }) => {
        const status = await statusOf(path)
        return status === 200 || status === REFUSED[path]?.[0] ? [] : [`${path}: ${status}`]
      }),
    )
    expect(answers.flat()).toEqual([])
  })
})
