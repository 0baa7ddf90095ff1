import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFacilitator, type Facilitator } from '../../../api/settlement/facilitator.ts'
import { facilitatorMetrics } from '../../../api/settlement/facilitatorMetrics.ts'
import type { FacilitatorAsk } from '../../../api/settlement/facilitatorWire.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { quietLog, somePayment } from '../../support/ledger.ts'

/** Its next response, word for word. */
let says: { status?: number; headers?: OutgoingHttpHeaders; text: string }
/** How it ends the connections of the next requests instead of answering. */
let cuts: ((socket: Socket) => void)[] = []
let asked = 0
let server: Server
let facilitator: Facilitator
let metrics: ReturnType<typeof createMetrics>
beforeAll(async () => {
  server = createServer((request, response) => {
    asked++
    request.resume()
    const cut = cuts.shift()
    if (cut !== undefined) return cut(request.socket)
    const { status = 200, headers = { 'content-type': 'application/json' }, text } = says
    response.writeHead(status, headers).end(text)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})
beforeEach(() => {
  asked = 0
  metrics = createMetrics('test')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const counters = facilitatorMetrics(metrics, ['facilitator'])
  facilitator = createFacilitator({ url, log: quietLog, metrics: counters })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await facilitator.close()
})

const payment = somePayment(6)
const ask = { payment, requirements: {}, listing: { resource: {}, extensions: {} } } as FacilitatorAsk
const verify = () => facilitator.verify(ask)
const UNAVAILABLE = { code: 'facilitator_unavailable' }
const alarms = async () => {
  const { values } = await metrics.registry.getSingleMetric('facilitator_alarms_total')!.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}

describe('FAC-13, x402-v2 2.5: what is no verdict on the payment is unavailable, never a refusal', () => {
  const valid = JSON.stringify({ isValid: true, payer: payment.authorization.from })
  const invalid = (invalidReason: string) => JSON.stringify({ isValid: false, invalidReason })
  test.each<[string, typeof says]>([
    ['JSON that calls itself a page', { headers: { 'content-type': 'text/html' }, text: valid }],
    ['JSON that calls itself nothing', { headers: {}, text: valid }],
    ['a byte order mark', { text: `\ufeff${valid}` }],
    ['cut off', { text: valid.slice(0, -1) }],
    ['another type', { text: '{"isValid":"true"}' }],
    ['valid, with the status of an error', { status: 400, text: valid }],
    ['invalid, with a status that is about itself', { status: 500, text: invalid('insufficient_funds') }],
    ['trouble of its own', { text: invalid('unexpected_verify_error') }],
    ['trouble inside', { text: invalid('internal_error') }],
  ])('%s', async (_, answer) => {
    says = answer
    await expect(verify()).rejects.toMatchObject(UNAVAILABLE)
  })

  test('valid and refused, said properly', async () => {
    says = { headers: { 'content-type': 'application/json; charset=utf-8' }, text: valid }
    expect(await verify()).toBeNull()
    says = { status: 400, text: invalid('insufficient_funds') }
    expect(await verify()).toBe('insufficient_funds')
    expect(await alarms()).toBe(0)
  })

  test.each(['invalid_network', 'invalid_exact_evm_recipient_mismatch', 'asset_not_deployed_contract'])(
    '%s is about our terms: refused, with an alarm',
    async (reason) => {
      says = { text: invalid(reason) }
      expect(await verify()).toBe('transfer_failed')
      expect(await alarms()).toBe(1)
    },
  )
})

describe('FAC-14 after 429 it is left alone, for as long as it says within half a minute, else for a second', () => {
  test.each<[string | null, number]>([
    [null, 1_000],
    ['soon', 1_000],
    ['3', 3_000],
    ['86400', 30_000],
  ])('Retry-After: %s', async (retryAfter, quietMs) => {
    let nowMs = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const headers = { 'content-type': 'application/json', ...(retryAfter && { 'retry-after': retryAfter }) }
    says = { status: 429, headers, text: '{}' }
    await expect(verify()).rejects.toMatchObject(UNAVAILABLE)
    says = { text: '{"isValid":true}' }
    nowMs += quietMs - 1
    await expect(verify()).rejects.toMatchObject(UNAVAILABLE)
    expect(asked).toBe(1)
    nowMs += 1
    expect(await verify()).toBeNull()
    expect(asked).toBe(2)
  })
})

describe('FAC-18 however a connection ends as we write: asked once more, and no third time', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['closed', (socket) => socket.destroy()],
    ['reset, its request unread', (socket) => socket.resetAndDestroy()],
  ])('%s', async (_, cut) => {
    says = { text: '{"isValid":true}' }
    cuts = [cut]
    expect(await verify()).toBeNull()
    expect(asked).toBe(2)
    cuts = [cut, cut]
    await expect(verify()).rejects.toMatchObject(UNAVAILABLE)
    expect([asked, cuts.length]).toEqual([4, 0])
  })
})
