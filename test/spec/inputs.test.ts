import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, offerOf, paid, payment, rawRequest } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { type Service, startService } from '../support/service.ts'

const PING = '/x402/v1/ping'
const VERIFY = '/api/receipt-oracle/verify'

let chain: TestChain
let service: Service
let base: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1 })
  base = service.bases[0]!
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

describe('INP-12 echo is data in a JSON body and nowhere else', () => {
  const buy = async (echo: string) => {
    const { header } = await payment(await offerOf(base, PING), chain.buyers[0]!)
    return get(`${base}${PING}?echo=${encodeURIComponent(echo)}`, paid(header))
  }

  test.each([
    ['line ends', 'a\r\nSet-Cookie: b=c\r\n\r\nd'],
    ['quotes and markup', `"</script><script>alert(1)</script>'`],
    ['separators and direction marks', '\u2028\u2029\u202e'],
    ['256 characters, the limit', 'x'.repeat(256)],
  ])('%s come back as they are', async (_, echo) => {
    const answer = await buy(echo)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json.result.ping.echo).toBe(echo)
    expect(answer.header('content-type')).toBe('application/json')
    expect(answer.header('set-cookie')).toBeNull()
  })

  test.each([
    ['257 characters', 'x'.repeat(257)],
    ['ten thousand characters', 'x'.repeat(10_000)],
  ])('%s are refused, and nothing is charged', async (_, echo) => {
    const before = await chain.balance(chain.receiver)
    const answer = await buy(echo)
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_parameter'])
    expect(answer.text).not.toContain('xxxxxxxx')
    expect(await chain.balance(chain.receiver)).toBe(before)
  })
})

describe('INP-13 a body is strict JSON in UTF-8, whatever it is called', () => {
  const post = (type: string | null, body: string) =>
    rawRequest(base, {
      path: VERIFY,
      method: 'POST',
      headers: {
        ...(type === null ? {} : { 'content-type': type }),
        'content-length': String(Buffer.byteLength(body)),
      },
      body,
    })

  test.each([
    ['application/x-www-form-urlencoded', 'id=abc'],
    ['application/xml', '<id>abc</id>'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\nabc\r\n--x--',
    ],
    ['application/json; charset=utf-16', '\uFEFF{\u0000}'],
    [null, ''],
  ])('%s: 400 and a word what is wanted', async (type, body) => {
    const answer = await post(type, body)
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_request'])
    expect(answer.json.detail).toContain('JSON')
  })

  test('a paid GET with a body is refused, whatever the body is called', async () => {
    const { header } = await payment(await offerOf(base, PING), chain.buyers[0]!)
    const before = await chain.balance(chain.receiver)
    const answer = await rawRequest(base, {
      path: PING,
      headers: { ...paid(header), 'content-type': 'application/json', 'content-length': '2' },
      body: '{}',
    })
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_request'])
    expect(await chain.balance(chain.receiver)).toBe(before)
  })
})
