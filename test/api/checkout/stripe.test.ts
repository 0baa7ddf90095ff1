import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCard, openStripe } from '../../../api/checkout/stripe.ts'
import { ConfigError } from '../../../ops/config.ts'
import { type Cards, startCards } from '../../support/cards.ts'
import { until } from '../../support/process.ts'

let cards: Cards
let dir: string
beforeAll(async () => {
  cards = await startCards()
  dir = await mkdtemp(join(tmpdir(), 'microdata-stripe-'))
})
afterAll(async () => {
  await cards?.stop()
  await rm(dir, { recursive: true, force: true })
})

type Given = Parameters<typeof openCard>[0]
const config = (change: Partial<Given> = {}): Given => ({
  MODE: 'sandbox',
  STRIPE_API_URL: cards.env.STRIPE_API_URL!,
  STRIPE_SECRET_KEY_FILE: cards.env.STRIPE_SECRET_KEY_FILE!,
  STRIPE_WEBHOOK_SECRET_FILE: cards.env.STRIPE_WEBHOOK_SECRET_FILE!,
  ...change,
})
const file = async (name: string, text: string) => {
  await writeFile(join(dir, name), text, { mode: 0o600 })
  return join(dir, name)
}
const order = (reference: string) => ({
  reference,
  sku: 'SKU_DLQ_01',
  title: 'Dead-letter triage',
  cents: 1045,
  returnUrl: 'http://127.0.0.1/back',
  expiresMs: Date.now() + 3_600_000,
})

describe('OPS-19 the official client against the wire of the provider', () => {
  test('an answer that is lost on the way: the call is repeated, and there is one checkout', async () => {
    const provider = openStripe(config())!
    const before = cards.sales().length
    cards.loseAnswer()
    const { sessionId, url } = await provider.open(order('lost'))
    expect(cards.sales()).toHaveLength(before + 1)
    expect(url).toBe(`${cards.url}/c/pay/${sessionId}`)
    expect(await provider.truth(sessionId)).toMatchObject({
      status: 'open',
      reference: 'lost',
      cents: 1045,
      currency: 'usd',
      paymentId: null,
    })
  })

  test('one checkout is opened once, whoever asks again', async () => {
    const same = order('same')
    const first = await openStripe(config())!.open(same)
    expect(await openStripe(config())!.open(same)).toEqual(first)
  })

  test('nobody can pay any more when we say so: whatever he is asked to pay waits no longer', async () => {
    const asked = order('ends')
    const { sessionId } = await openStripe(config())!.open(asked)
    const { expiresAt } = cards.sales().find(({ id }) => id === sessionId)!
    expect(expiresAt).toBe(Math.floor(asked.expiresMs / 1_000))
  })

  test('a payment leads back to its checkout, and to no other', async () => {
    const provider = openStripe(config())!
    const [mine] = [await provider.open(order('mine')), await provider.open(order('other'))]
    cards.act(mine.sessionId, 'pay')
    const { paymentId } = await provider.truth(mine.sessionId)
    expect(await provider.sessionsOf(paymentId!)).toEqual([
      { reference: 'mine', sessionId: expect.stringMatching(/^cs_/) },
    ])
    expect(await provider.sessionsOf('pi_none')).toEqual([])
  })

  test.each<[string, () => Promise<Partial<Given>>]>([
    [
      'a key of somebody else',
      async () => ({ STRIPE_SECRET_KEY_FILE: await file('wrong', 'sk_test_wrong') }),
    ],
    ['nobody there', async () => ({ STRIPE_API_URL: 'http://127.0.0.1:1' })],
  ])('%s: unavailable, whatever the client says of it', async (_, change) => {
    const provider = openStripe(config(await change()))!
    await expect(provider.open(order('x'))).rejects.toMatchObject({ code: 'card_provider_unavailable' })
  })
})

/** Something that stands where the provider should, and answers in its own way. @returns its address and its end. */
async function standIn(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    connections: promisify(server.getConnections.bind(server)),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('OPS-19 what is no answer of the provider', () => {
  const PAID = { status: 'complete', payment_status: 'paid', amount_total: 1045, currency: 'usd' }
  const charge = { created: 1, amount: 1045, amount_refunded: 0, refunded: false, disputed: true }
  const session = { ...PAID, client_reference_id: 'x', created: 1 }
  test.each<[string, object]>([
    ['a list', []],
    ['an error in a 200', { error: null }],
    ['a session of which only the name is said', { id: 'cs_1' }],
    ['a payment that is not expanded', { ...session, payment_intent: 'pi_1' }],
    [
      'disputes without a list',
      { ...session, payment_intent: { id: 'pi_1', status: 'succeeded', latest_charge: charge } },
    ],
    ...['processing', 'requires_payment_method', 'requires_capture', 'canceled'].map(
      (status): [string, object] => [
        `paid by a payment that has not succeeded: ${status}`,
        { ...session, payment_intent: { id: 'pi_1', status, latest_charge: { ...charge, disputed: false } } },
      ],
    ),
  ])('%s: unavailable; no checkout is opened without a place to pay', async (_, body) => {
    const other = await standIn((response) => response.end(JSON.stringify(body)))
    const provider = openStripe(config({ STRIPE_API_URL: other.url }))!
    const unavailable = { code: 'card_provider_unavailable' }
    await expect(provider.open(order('x'))).rejects.toMatchObject(unavailable)
    await expect(provider.truth('cs_1')).rejects.toMatchObject(unavailable)
    await expect(provider.sessionsOf('pi_1')).rejects.toMatchObject(unavailable)
    other.close()
  })

  test.each(['5', '"upstream is away"', 'true', 'null', '{"error":5}', '{"error":[]}'])(
    'FAC-13 %s: unavailable at once; its client writes into it, and an error there would end our process',
    async (text) => {
      for (const status of [200, 400]) {
        const other = await standIn((response) => response.writeHead(status).end(text))
        const truth = openStripe(config({ STRIPE_API_URL: other.url }), 2_000)!.truth('cs_1')
        const error = await truth.catch((error) => error).finally(other.close)
        expect([error.code, error.cause.message]).toEqual([
          'card_provider_unavailable',
          expect.not.stringContaining('no whole answer'),
        ])
      }
    },
  )

  test.each([
    ['card_declined', 'StripeCardError: 402 card_declined'],
    ['Two words', 'StripeCardError: 402'],
  ])(
    'of its refusal with %j the log has the kind and one plain word, no text of its own',
    async (code, words) => {
      const error = { type: 'card_error', code, message: `\u001b[31m ${'x'.repeat(1_000)}` }
      const other = await standIn((response) => response.writeHead(402).end(JSON.stringify({ error })))
      const truth = openStripe(config({ STRIPE_API_URL: other.url }))!.truth('cs_1')
      const { cause } = await truth.catch((error) => error).finally(other.close)
      expect(cause.message).toBe(words)
    },
  )

  const page = 'https://pay.example.com/c/pay/cs_1'
  const openedBy = async (body: object) => {
    const other = await standIn((response) => response.end(JSON.stringify(body)))
    const opened = openStripe(config({ STRIPE_API_URL: other.url }))!.open(order('x'))
    return await opened
      .then(
        ({ url }) => url,
        ({ code }) => code,
      )
      .finally(other.close)
  }

  test.each<[string, object]>([
    ['a script', { url: 'javascript:alert(1)//https://pay.example.com' }],
    ['a document of its own', { url: 'data:text/html,pay' }],
    ['a place here', { url: '/cardpay/webhook' }],
    ['a place named as the page is', { url: '//pay.example.com/' }],
    ['text around it', { url: ` ${page}` }],
    ['a line break in it', { url: 'https://pay.example.com/\nc' }],
    ['without a host', { url: 'https://' }],
    ['without an end', { url: `${page}#${'x'.repeat(5_000)}` }],
    ['of a session without a name', { id: '' }],
    ['of a session whose name no event may hold', { id: 'c'.repeat(256) }],
  ])('a place to pay that is %s: no checkout is opened', async (_, change) => {
    expect(await openedBy({ id: 'cs_1', url: page, ...change })).toBe('card_provider_unavailable')
  })

  test('a page at a host of its own, with a long fragment, is one', async () => {
    const url = `${page}#${'x'.repeat(4_000)}`
    expect(await openedBy({ id: 'c'.repeat(255), url })).toBe(url)
  })

  const CREATED = 1_700_000_000
  const paidBy = (change: object, payment: object = {}) => ({
    ...session,
    created: CREATED,
    data: [], //  disputes, if it is asked for them
    payment_intent: {
      ...{ id: 'pi_1', status: 'succeeded' },
      latest_charge: { ...charge, created: CREATED + 60, disputed: false, ...change },
      ...payment,
    },
  })
  const saidOf = async (body: object) => {
    const other = await standIn((response) => response.end(JSON.stringify(body)))
    const truth = openStripe(config({ STRIPE_API_URL: other.url }))!.truth('cs_1')
    return await truth
      .then(
        ({ status }) => status,
        ({ code }) => code,
      )
      .finally(other.close)
  }

  test.each<[string, object]>([
    ['with nothing charged', paidBy({}, { latest_charge: null })],
    ['and it does not say what was charged', paidBy({}, { latest_charge: undefined })],
    ['by a payment without a name', paidBy({}, { id: '' })],
    ['by a payment whose name moves the cursor', paidBy({}, { id: 'pi_1\u001b[2J' })],
    ['in a currency that is none', { ...paidBy({}), currency: 'us dollars' }],
    ['not refunded, and all of it has gone back', paidBy({ amount_refunded: 1045 })],
    ['refunded, and nothing has gone back', paidBy({ refunded: true })],
    ['disputed, and there is no dispute', paidBy({ disputed: true })],
    ['charged in 1970', paidBy({ created: 0 })],
    ['charged an hour before there was a session', paidBy({ created: CREATED - 3_600 })],
    ['charged when an unpaid session is long forgotten', paidBy({ created: CREATED + 31 * 86_400 })],
    ['charged in milliseconds', paidBy({ created: CREATED * 1_000 })],
    ['charged when no calendar has a day', paidBy({ created: Number.MAX_SAFE_INTEGER })],
    ['both in milliseconds', { ...paidBy({ created: 1.7e12 }), created: 1.7e12 }],
  ])('paid, %s: unavailable', async (_, body) => {
    expect(await saidOf(body)).toBe('card_provider_unavailable')
  })

  test.each<[string, object]>([
    ['the same without the wrong word', paidBy({})],
    ['a part of it has gone back', paidBy({ amount_refunded: 1_044 })],
    ['by a slow method', paidBy({ created: CREATED + 10 * 86_400 })],
    [
      'in the last minute that an unpaid session is looked at',
      paidBy({ created: CREATED + 30 * 86_400 + 3_600 }),
    ],
    ['two servers of the provider differ by a second', paidBy({ created: CREATED - 1 })],
  ])('%s: paid', async (_, body) => {
    expect(await saidOf(body)).toBe('paid')
  })

  test('I23 one that comes byte by byte and never ends: unavailable as well', async () => {
    const trickles: NodeJS.Timeout[] = []
    const other = await standIn((response) => {
      trickles.push(setInterval(() => response.write(' '), 10))
    })
    const provider = openStripe(config({ STRIPE_API_URL: other.url }), 200)!
    const unavailable = { code: 'card_provider_unavailable' }
    await expect(provider.open(order('x'))).rejects.toMatchObject(unavailable)
    await expect(provider.truth('cs_1')).rejects.toMatchObject(unavailable)
    await expect(provider.sessionsOf('pi_1')).rejects.toMatchObject(unavailable)
    //  nor is its connection kept: whoever drips would have all of them in the end
    await until('it is hung up on', async () => (await other.connections()) === 0)
    for (const trickle of trickles) clearInterval(trickle)
    other.close()
  })

  test('FAC-13 an answer of 64 MB is hung up on, however often it is tried: one without an end would end the process', async () => {
    const MB = 1 << 20
    let written = 0
    const other = await standIn((response) => {
      const socket = response.socket!
      response.on('close', () => {
        written += socket.bytesWritten
      })
      Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(MB, ' '))).pipe(response)
    })
    const truth = openStripe(config({ STRIPE_API_URL: other.url }))!.truth('cs_1')
    await expect(truth).rejects.toMatchObject({ code: 'card_provider_unavailable' })
    other.close()
    expect(written / MB).toBeLessThan(60)
  })

  test.each([
    ['true', 400, 3],
    ['false', 500, 1],
    [null, 500, 3],
    [null, 402, 1],
  ])('it says whether to try again: %s, with %i', async (said, status, asked) => {
    let count = 0
    const other = await standIn((response) => {
      count++
      response.writeHead(status, said === null ? {} : { 'stripe-should-retry': said })
      response.end('{"error":{"type":"api_error","message":"no"}}')
    })
    const truth = openStripe(config({ STRIPE_API_URL: other.url }))!.truth('cs_1')
    await expect(truth).rejects.toMatchObject({ code: 'card_provider_unavailable' })
    other.close()
    expect(count).toBe(asked)
  })
})

describe('OPS-03 keys that do not fit the mode stop the start', () => {
  test.each<[string, () => Promise<Partial<Given>>]>([
    ['a live key in the sandbox', async () => ({ STRIPE_SECRET_KEY_FILE: await file('live', 'sk_live_x') })],
    [
      'a restricted live key in the sandbox',
      async () => ({ STRIPE_SECRET_KEY_FILE: await file('rk', 'rk_live_x') }),
    ],
    ['neither', async () => ({ STRIPE_SECRET_KEY_FILE: await file('pk', 'pk_test_x') })],
    [
      'the webhook secret where the key belongs',
      async () => ({ STRIPE_SECRET_KEY_FILE: config().STRIPE_WEBHOOK_SECRET_FILE }),
    ],
    [
      'the key where the webhook secret belongs',
      async () => ({ STRIPE_WEBHOOK_SECRET_FILE: config().STRIPE_SECRET_KEY_FILE }),
    ],
    ['a test key in live mode', async () => ({ MODE: 'live' })],
    ['no such file', async () => ({ STRIPE_SECRET_KEY_FILE: join(dir, 'none') })],
    ['an empty file', async () => ({ STRIPE_SECRET_KEY_FILE: await file('empty', '\n') })],
    ['no webhook secret', async () => ({ STRIPE_WEBHOOK_SECRET_FILE: join(dir, 'none') })],
  ])('%s', async (_, change) => {
    const given = config(await change())
    expect(() => openCard(given)).toThrow(ConfigError)
  })

  test('without a key nothing is sold by card', () => {
    expect(openCard(config({ STRIPE_SECRET_KEY_FILE: '' }))).toBeNull()
  })
})
