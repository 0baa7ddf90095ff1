import { getL3ForOpenAPI, getWarningsForL3, getWarningsForL4 } from '@agentcash/discovery'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../../../api/errors.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { FAILURES } from '../../../api/goods/utility/scan/failures.ts'
import { referralShare } from '../../../api/ledger/cards.ts'
import { SAMPLE_DELAY_MS } from '../../../api/live/sections.ts'
import type { ParameterObject, ResponseObject } from '../../../api/openapi/build.ts'
import { CREDIT_FIGURES } from '../../../api/openapi/headers.ts'
import { openApi, openApiDocument } from '../../../api/openapi/openApi.ts'
import { PLACES, type Place } from '../../../api/storefront/places.ts'
import { FEED_RULES } from '../../../engine/contract/feed.ts'
import { GAP_AGE_RULE } from '../../../engine/contract/gapCards.ts'
import { someFacts } from '../../support/facts.ts'
import { asSent, formsIn, operationsIn, resolved, schemaChecker } from './support.ts'

const facts = someFacts({ mode: 'sandbox', cardCheckout: true })
const document = asSent(openApi(facts))
const operations = operationsIn(document)
const sales = operations.filter(({ operation }) => 'x-payment-info' in operation)

type Earned = { sharePct: number; settledSales: number; earningsUsdc: number }

/** Every `$ref` in a value. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    name === '$ref' && typeof part === 'string' ? [part] : refsIn(part),
  )
}

describe('9 interface description: OpenAPI 3.1.0, version 1.0.0', () => {
  test('a validator of the OpenAPI schema accepts it', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
    expect([valid, errors]).toEqual([true, undefined])
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0'])
  })

  test('every reference leads somewhere, and every named schema is referred to', () => {
    const refs = refsIn(document)
    expect(refs.filter((ref) => resolved(document, { $ref: ref }) === undefined)).toEqual([])
    const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(named.filter((ref) => !refs.includes(ref))).toEqual([])
  })

  test('who reads the feed is told what is open, when a card is told again, and of when its figures are', () => {
    const { operation } = operations.find(({ operation: { operationId } }) => operationId === 'alphaFeed')!
    const text = JSON.stringify(operation)
    for (const rule of Object.values(FEED_RULES)) expect(text).toContain(rule)
    const card = JSON.stringify(document.components.schemas.FeedCard)
    expect(card).toContain('as of this instant')
    expect(card).toContain(GAP_AGE_RULE)
  })

  test('who reads that a trade is executable: both contracts close near each other, whenever that is', () => {
    const said = [...JSON.stringify(document).matchAll(/both contracts close within 48 hours(.{14})/g)]
    expect(said.length).toBeGreaterThan(1)
    for (const [, further] of said) expect(further).toBe(' of each other')
  })

  test('who reads the live board is told how late it is, and that the first of a start is not', () => {
    const { operation } = operations.find(({ operation: { operationId } }) => operationId === 'liveJson')!
    expect(operation.description).toContain(`${SAMPLE_DELAY_MS / 60_000} minutes late`)
    expect(operation.description).toContain('after a start')
  })

  test('operation ids are unique, tags are declared, each operation says what it is for', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = new Set(document.tags.map(({ name }) => name))
    expect(
      operations.filter(({ operation }) => !tags.has(operation.tags[0])).map(({ path }) => path),
    ).toEqual([])
    expect(operations.filter(({ operation }) => operation.summary.length < 5)).toEqual([])
  })

  test('the 402 of POST /purchase-intent is a problem that says how to pay', () => {
    const { PurchaseIntent402Answer: schema, Problem: problem } = document.components.schemas
    expect(schema!.required).toEqual(expect.arrayContaining(problem!.required as string[]))
    expect(schema!.required).toEqual(expect.arrayContaining(['sku', 'mode', 'payment', 'agentPricing']))
  })

  const paymentOf = (path: string, status: number) => {
    const { operation } = operations.find((each) => each.path === path)!
    const { content } = resolved<ResponseObject>(document, operation.responses[status]!)
    const { example, examples = {} } = content!['application/json'] ?? content!['application/problem+json']!
    const [first] = Object.values(examples).map(
      (each) => resolved<{ value: unknown }>(document, each as { value: unknown }).value,
    )
    return ((example ?? first) as { payment: Record<string, string> }).payment
  }

  test('the examples of what is due are amounts of an intent, a little below the price', () => {
    expect(Number(paymentOf('/purchase-intent', 402).amountAsset)).toBeLessThan(12.35)
    expect(Number(paymentOf('/x402/v1/ping', 402).amountUsdc)).toBeLessThan(0.01)
  })

  test('its 200 is of a purchase that credit covered', () => {
    expect(paymentOf('/purchase-intent', 200)).toMatchObject({
      priceUsdc: '1',
      creditUsdc: '1',
      amountUsdc: '0',
      amountAsset: '0',
      howTo: expect.stringMatching(/^Nothing to pay\./),
    })
  })

  test.each([200, 402])('its %d tells the figures of the credit that pays', (status) => {
    const intent = operations.find(({ path }) => path === '/purchase-intent')!.operation
    const { headers } = resolved<ResponseObject>(document, intent.responses[status]!)
    expect(Object.keys(headers!)).toEqual(expect.arrayContaining([...CREDIT_FIGURES]))
  })

  test('every class of failure that the scan may answer is named', () => {
    const text = JSON.stringify(document)
    const [, said] = /"failureClass":\{[^{}]*"description":"([^"]+)"/.exec(text)!
    expect(said!.match(/\w+/g)).toEqual(expect.arrayContaining(FAILURES.map(({ name }) => name)))
  })

  test('the text is a function of the facts: every process serves the same bytes', () => {
    expect(openApiDocument.text({ ...facts })).toBe(openApiDocument.text({ ...facts }))
  })

  test('no secret of the service and no token is in it', () => {
    const text = JSON.stringify(document)
    expect(text).not.toContain(facts.terms.secret.toString('hex'))
    expect(text).not.toContain(facts.terms.secret.toString('base64'))
    expect(text).not.toMatch(/"(feed|pass|permit|credit|unlock)_[A-Za-z0-9_-]{43}"/)
  })

  test.each([
    ['POST /sandbox/sign', { mode: 'live' }, { mode: 'sandbox' }],
    ['POST /cardpay/webhook', { cardCheckout: false }, { cardCheckout: true }],
    ['GET /.well-known/security.txt', { securityContact: null }, { securityContact: 'mailto:a@b.example' }],
  ] as const)('%s is described only where it is served', (route, without, withIt) => {
    const routes = (change: object) =>
      operationsIn(openApi(someFacts(change))).map(({ method, path }) => `${method} ${path}`)
    expect([routes(without).includes(route), routes(withIt).includes(route)]).toEqual([false, true])
  })
})

describe('examples', () => {
  const check = schemaChecker(document, { strict: true })
  const forms = formsIn(document).filter(({ examples }) => examples.length > 0)

  test.each(forms.map(({ at, media, examples }) => [at, media.schema, examples] as const))(
    '%s: the example is what the schema says',
    (_, schema, examples) => {
      for (const example of examples) expect(check(schema, example)).toBeNull()
    },
  )

  test('the schemas say something: an example without its first name is refused', () => {
    const json = forms.filter(({ at }) => / 200 application\/json$/.test(at))
    expect(json.length).toBeGreaterThan(40)
    for (const { at, media, examples } of json) {
      const [, ...others] = Object.entries(examples[0] as object)
      expect([at, check(media.schema, Object.fromEntries(others))]).not.toEqual([at, null])
    }
  })

  test.each(
    operations.map(({ method, path, operation }) => [method, path, operation.parameters ?? []] as const),
  )('%s %s: the example of each parameter fits its schema', (_, __, parameters) => {
    for (const parameter of parameters) {
      const { name, schema, example } = resolved(document, parameter) as ParameterObject
      expect([name, check(schema, example)]).toEqual([name, null])
    }
  })

  test('the example of a referral earns what the ledger books of such a sale', () => {
    const { operation } = operations.find(({ operation: { operationId } }) => operationId === 'referrals')!
    const answer = resolved(document, operation.responses['200']!) as ResponseObject
    const { sharePct, settledSales, earningsUsdc } = answer.content!['application/json']!.example as Earned
    const oneSale = 12_350_000n // micro-USDC of SKU_TOR_MCP_PRO
    expect([settledSales, earningsUsdc]).toEqual([1, Number(referralShare(oneSale)) / 1e6])
    expect(sharePct).toBe((Number(referralShare(oneSale)) / Number(oneSale)) * 100)
  })

  test('headers of a 402 are described by schemas their examples fit', () => {
    const { PaymentRequired } = document.components.examples
    expect(check({ $ref: '#/components/schemas/PaymentRequired' }, PaymentRequired?.value)).toBeNull()
  })
})

/** Places whose shape is set by the caller, a protocol or another schema. */
const OPEN_BY_NATURE =
  /^(PurchaseIntentBody|FulfillBody|CardCheckoutBody)\.payload$|^CardWebhookBody|^Mcp|^SandboxSignBody\.accepted|\.schema$|^DocumentOpenapiJson|\.statement$|^AgJson01Answer\.result\.json\..*value$|^VerifyReceiptByBodyBody\.payload$|\.example(\.|$)|\.output\.result$/

/** Places of a schema that accept anything. */
function openIn(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return []
  const { $ref, properties, items, additionalProperties, anyOf, oneOf, allOf, prefixItems, ...rest } =
    schema as Record<string, unknown>
  if ($ref !== undefined) return []
  const parts = [
    ...Object.entries((properties ?? {}) as object).map(([name, part]) => [name, part] as const),
    ...[items, additionalProperties].flatMap((part) =>
      part === undefined ? [] : [['items', part] as const],
    ),
    ...[anyOf, oneOf, allOf, prefixItems].flatMap((list) =>
      ((list ?? []) as unknown[]).map((part, nth) => [String(nth), part] as const),
    ),
  ]
  const says = ['type', 'const', 'enum', 'pattern', 'format'].some((keyword) => keyword in rest)
  const isOpen = parts.length === 0 && (!says || rest.type === 'object' || rest.type === 'array')
  return isOpen ? [at] : parts.flatMap(([name, part]) => openIn(part, `${at}.${name}`))
}

describe('a schema says what is known', () => {
  test.each(['/purchase-intent', '/fulfill', '/checkout/settle', '/quote', '/cardpay/checkout'])(
    'what every field in the body of %s is',
    (path) => {
      const { operation } = operations.find((each) => each.path === path)!
      const { properties } = resolved(document, operation.requestBody!.content['application/json']!.schema!)
      const bare = Object.entries(properties!).filter(([, { description }]) => (description ?? '') === '')
      expect(bare.map(([name]) => name)).toEqual([])
    },
  )

  test('nothing accepts anything, but for what is open by its nature', () => {
    const open = Object.entries(document.components.schemas)
      .flatMap(([name, schema]) => openIn(schema, name))
      .filter((at) => !OPEN_BY_NATURE.test(at.replace(/\.items$/, '')))
    expect(open).toEqual([])
  })

  test('every form of an answer that is JSON has a schema', () => {
    const bare = formsIn(document).filter(
      ({ at, media }) => /json$/.test(at) && JSON.stringify(media.schema) === '{"type":"string"}',
    )
    expect(bare.map(({ at }) => at)).toEqual([])
  })

  test('a page is described in its three forms, wherever its route is', () => {
    const pages = Object.values<Place>(PLACES).filter(({ type }) => type === 'text/html')
    expect(pages.length).toBeGreaterThan(10)
    for (const { path } of pages) {
      const { content } = resolved<ResponseObject>(document, document.paths[path]!.get!.responses['200']!)
      const forms = ['text/html', 'text/markdown', 'application/json']
      expect([path, Object.keys(content!).sort()]).toEqual([path, forms.sort()])
    }
  })
})

describe('4.1 price A and price B: x-payment-info has what is charged, the list price stands beside it', () => {
  const usd = (micro: bigint) => (Number(micro) / 1e6).toFixed(6)

  test.each(GOODS.map((good) => [good.path, good] as const))('%s', (path, good) => {
    const operation = document.paths[path]!.get!
    expect(operation).toMatchObject({
      security: [],
      'x-payment-info': {
        price: { mode: 'fixed', currency: 'USD', amount: usd(good.priceMicroUsdc) },
        protocols: [{ x402: {} }],
      },
      'x-list-price': { amount: usd(good.listPriceMicroUsdc) },
      'x-sku': good.sku,
    })
    //  VAL-18: the price in words, which an agent reads first
    const [, said] = /: (\d+(?:\.\d+)?) USD$/.exec(operation.summary ?? '') ?? []
    expect(Number(said)).toBe(Number(good.priceMicroUsdc) / 1e6)
    expect(Object.keys(operation.responses)).toContain('402')
    const query = (operation.parameters ?? []).filter((each) => 'in' in each && each.in === 'query')
    expect(query).toMatchObject(good.parameters.map(({ name, required }) => ({ name, required })))
  })

  test('nothing else has a price, and nothing but bought tokens opens anything', () => {
    expect(sales.map(({ path }) => path).sort()).toEqual(GOODS.map(({ path }) => path).sort())
    const closed = operations.filter(({ operation }) => operation.security.length > 0)
    expect(closed.map(({ path }) => path)).toEqual([
      '/api/v1/alpha-feed',
      '/api/v1/stream',
      '/api/v1/tor-call-permit',
    ])
  })
})

describe('7 errors: one closed list of codes', () => {
  test('it is the table of problems, each with its example', () => {
    expect(document.components.schemas.ProblemCode?.enum).toEqual(Object.keys(PROBLEMS))
    for (const [code, { status, retryable }] of Object.entries(PROBLEMS))
      expect(document.components.examples[code]?.value).toMatchObject({ ok: false, code, status, retryable })
  })

  test('an operation names each of its problems under the status it has', () => {
    const wrong = operations.flatMap(({ method, path, operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) => {
        const { content } = resolved(document, response) as {
          content?: Record<string, { examples?: object }>
        }
        const codes = Object.keys(content?.['application/problem+json']?.examples ?? {})
        return codes
          .filter((code) => String(PROBLEMS[code as keyof typeof PROBLEMS].status) !== status)
          .map((code) => `${method} ${path}: ${code}`)
      }),
    )
    expect(wrong).toEqual([])
  })
})

describe('3.2 what registries of x402 sellers check', () => {
  test('guidance is there and short', () => {
    const guidance = String(document.info['x-guidance'])
    expect(getWarningsForL4({ source: 'openapi', guidance })).toEqual([])
  })

  test.each(GOODS.map(({ path }) => path))('%s: price, protocol, input and output are found', (path) => {
    const found = getL3ForOpenAPI({ raw: document } as never, path, 'GET')
    expect(found).toMatchObject({ authMode: 'paid', protocols: ['x402'] })
    expect([
      getWarningsForL3(found),
      found?.inputSchema !== undefined,
      found?.outputSchema !== undefined,
    ]).toEqual([[], true, true])
  })
})
