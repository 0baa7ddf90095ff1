import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { headerOf, type Offer, offerOf, paid, payloadOf, payment, rawRequest } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { isAlive } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'

let chain: TestChain
let service: Service
let base: string
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, worker: false, env: { LOG_LEVEL: 'info' } })
  base = service.bases[0]!
  offer = await offerOf(base, PING)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** What a stack, a file of ours or an address of ours would look like in an answer. */
const INSIDE = /\.ts[:)]|node_modules|\/api\/|redis|\.sock|ECONN|127\.0\.0\.1:(?!8402)/

/** Every refusal has a body of one shape; nothing is claimed; the process lives. */
async function isRefused(path: string, headers: Record<string, string>): Promise<void> {
  const answer = await rawRequest(base, { path, headers })
  expect([400, 402, 404, 409]).toContain(answer.status)
  expect(answer.json).toMatchObject({
    ok: false,
    code: expect.stringMatching(/^[a-z_]+$/),
    retryable: expect.any(Boolean),
  })
  expect(answer.text).not.toMatch(INSIDE)
}

const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 400,
})

describe('INP-14, OPS-08 broken input never yields a 5xx, a crash, a charge or a word from inside', () => {
  test('any text in the payment headers', async () => {
    await fc.assert(
      fc.asyncProperty(visible, fc.constantFrom('payment-signature', 'x-payment'), async (text, name) => {
        fc.pre(text !== '')
        await isRefused(PING, { [name]: text })
      }),
      { numRuns: 300 },
    )
  })

  test('any JSON value, base64 encoded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        await isRefused(PING, paid(headerOf(value)))
      }),
      { numRuns: 300 },
    )
  })

  test('a good payment with one field replaced by anything', async () => {
    const good = await payment(offer, chain.buyers[0]!)
    const template = payloadOf(offer, good.signed, good.signature)
    const paths = [
      ['x402Version'],
      ['accepted'],
      ['payload'],
      ...Object.keys(template.accepted).map((key) => ['accepted', key]),
      ['payload', 'signature'],
      ['payload', 'authorization'],
      ...Object.keys(template.payload.authorization).map((key) => ['payload', 'authorization', key]),
    ]
    const replacement = fc.oneof(fc.jsonValue({ maxDepth: 2 }), visible, fc.bigInt().map(String))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), replacement, async (path, value) => {
        const changed = structuredClone(template) as Record<string, unknown>
        let at = changed
        for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>
        const last = path.at(-1)!
        fc.pre(JSON.stringify(at[last]) !== JSON.stringify(value))
        at[last] = value
        await isRefused(PING, paid(headerOf(changed)))
      }),
      { numRuns: 400 },
    )
  })

  test('any query, paid or not, on any path below the service', async () => {
    const { header } = await payment(offer, chain.buyers[0]!, { value: 1n })
    const query = fc.string({
      unit: fc.constantFrom('q', 'e', 'c', 'h', 'o', '=', '&', '%', '2', 'F', 'z', '0', '+'),
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(query, fc.boolean(), async (text, pay) => {
        await isRefused(`${PING}?${text}`, pay ? paid(header) : {})
      }),
      { numRuns: 200 },
    )
  })

  test('OPS-09 callers’ paths and queries make no label of a metric', async () => {
    const [, port] = await service.apis[0]!.says(/"operatorPort":(\d+)/)
    const counted = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return [...text.matchAll(/^http_answers_total\{[^}]*route="([^"]*)"/gm)].map(([, route]) => route!)
    }
    const before = new Set(await counted())
    for (let at = 0; at < 50; at++)
      await rawRequest(base, { path: `/made-up-${at}?q=${at}`, headers: { 'x-agent-id': `agent-${at}` } })
    expect([...new Set(await counted())].filter((route) => !before.has(route) && route !== 'other')).toEqual(
      [],
    )
    expect((await counted()).join(' ')).not.toMatch(/made-up|agent-\d/)
  })

  test('after all of it: same process, nothing claimed, nothing moved', async () => {
    expect(isAlive(service.apis[0]!.pid)).toBe(true)
    expect(service.apis[0]!.stdout()).not.toContain('handler failed')
    const keys = await service.ledger.redis.keys('*')
    expect(keys.filter((key) => key.startsWith('claim:') || key.startsWith('spent:'))).toEqual([])
    expect(await chain.balance(chain.receiver)).toBe(0n)
  })
})
