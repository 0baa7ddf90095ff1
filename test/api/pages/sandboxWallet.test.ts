import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { SANDBOX_SIGN_PATH } from '../../../api/pages/sandboxSign.ts'
import { openSandboxWallet } from '../../../api/pages/sandboxWallet.ts'
import { offerOf } from '../../../api/payment/challenge.ts'
import { realClock } from '../../../ops/clock.ts'
import { serveJson } from '../../../ops/sandbox/jsonServer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { someFacts } from '../../support/facts.ts'
import { quietLog } from '../../support/ledger.ts'

const facts = someFacts()
const [good] = facts.goods
const offer = offerOf(good!, facts.terms)

describe('decision 014: the test wallet of a sandbox', () => {
  let chain: TestChain
  let stop: (() => Promise<void>)[] = []
  let base: string
  const open = async (rpcUrl: string) => {
    const { route, close } = openSandboxWallet({ facts, rpcUrl, clock: realClock })
    const server = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      handler: createRouter([route]),
      log: quietLog,
    })
    stop.push(() => server.close(), close)
    return `http://127.0.0.1:${server.port}`
  }
  beforeAll(async () => {
    chain = await startTestChain()
    base = await open(chain.rpcUrl)
  })
  afterAll(async () => {
    for (const end of stop) await end()
    stop = []
    await chain?.stop()
  })
  const sign = async (accepted: object, at = base) => {
    const answer = await fetch(`${at}${SANDBOX_SIGN_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ accepted }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: answer.status, json: (await answer.json()) as any }
  }

  test('signs what we ask for, to us, for as long as we ask, each time with another nonce', async () => {
    const { status, json } = await sign({ ...offer, extra: { any: 'thing' } })
    expect(status).toBe(200)
    const { authorization, signature } = json.payload
    expect(authorization).toMatchObject({ to: offer.payTo, value: offer.amount, validAfter: '0' })
    const validForS = Number(authorization.validBefore) - Date.now() / 1000
    expect(validForS).toBeGreaterThan(0)
    expect(validForS).toBeLessThanOrEqual(offer.maxTimeoutSeconds)
    expect(signature).toMatch(/^0x[0-9a-f]{130}$/)
    expect((await sign(offer)).json.payload.authorization.nonce).not.toBe(authorization.nonce)
    expect(await chain.balance(authorization.from)).toBe(1_000_000_000n)
  })

  test.each([
    ['another payee', { payTo: `0x${'33'.repeat(20)}` }],
    ['another token', { asset: `0x${'33'.repeat(20)}` }],
    ['another network', { network: 'eip155:1' }],
    ['a price of nothing here', { amount: '123456789' }],
    ['an amount that is no number', { amount: '-1' }],
    ['another scheme', { scheme: 'upto' }],
    ['no time', { maxTimeoutSeconds: 0 }],
  ])('refuses %s', async (_, change) => {
    const { status, json } = await sign({ ...offer, ...change })
    expect([status, json.code]).toEqual([400, 'invalid_parameter'])
  })

  test('a chain that gives no play money: 503, nothing signed', async () => {
    const json = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }
    const real = await serveJson({ host: '127.0.0.1', port: 0, answer: () => ({ status: 200, json }) })
    stop.push(() => real.close())
    const refused = await sign(offer, await open(real.url))
    expect([refused.status, refused.json.code, refused.json.payload]).toEqual([
      503,
      'chain_unavailable',
      undefined,
    ])
  })

  test('does not exist where money is real', () => {
    const live = someFacts({ mode: 'live' })
    expect(() => openSandboxWallet({ facts: live, rpcUrl: chain.rpcUrl, clock: realClock })).toThrow(
      /sandbox/,
    )
  })
})
