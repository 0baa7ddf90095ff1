import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Home, homeOf } from '../../../ops/purchase/kept/home.ts'
import { dayOf, openPurse } from '../../../ops/purchase/kept/spending.ts'
import { keepPayment } from '../../../ops/purchase/pending.ts'
import { keepRefused, settleRefused } from '../../../ops/purchase/refused.ts'
import { DAY, MINUTE, SECOND } from '../../../ops/units.ts'
import { freshNonce, headerOf } from '../../support/buyer.ts'
import { USDC } from './seller.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const ENDS = NOW + 300 * SECOND
const SURE = ENDS + MINUTE //  the chain's clock may be behind

let home: Home
let node: Server
let rpc = ''
let word: boolean | 'away' = false // whether the token has seen the authorization
let asked = 0

beforeEach(async () => {
  home = homeOf(await mkdtemp(join(tmpdir(), 'microdata-refused-')))
  ;[word, asked] = [false, 0]
  node = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, method } = JSON.parse(text)
    if (word === 'away') return request.socket.destroy()
    if (method === 'eth_call') asked++
    const result = method === 'eth_chainId' ? '0x2105' : `0x${(word ? '1' : '0').padStart(64, '0')}`
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  rpc = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
})
afterEach(async () => {
  node.closeAllConnections()
  node.close()
  await rm(join(home.dir, '..'), { recursive: true, force: true })
})

/** A payment of 1,000 micro-USDC that was sent and refused at NOW. */
async function refuseOne(): Promise<void> {
  const nonce = freshNonce()
  const { reserve } = openPurse(home, LIMITS, '', () => NOW)
  const offer = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '1000',
    asset: USDC,
    payTo: `0x${'ee'.repeat(20)}`,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  }
  const from = `0x${'aa'.repeat(20)}`
  const authorization = {
    from,
    to: offer.payTo,
    value: '1000',
    validAfter: '0',
    validBefore: String(ENDS / SECOND),
    nonce,
  }
  const file = await keepPayment(home.waitingDir, nonce, {
    url: 'https://seller.example/x',
    headers: {},
    from,
    spentFile: await reserve(nonce, 1_000n),
    paymentSignature: headerOf({
      x402Version: 2,
      accepted: offer,
      payload: { signature: '0x', authorization },
    }),
    signedAt: new Date(NOW).toISOString(),
  })
  await keepRefused(home, file)
}

const LIMITS = { callMicro: 1_000n, callIsKept: false, dayMicro: 3_000n, sessionMicro: null }
const left = async () => (await openPurse(home, { ...LIMITS, callMicro: 9_999n }, '', () => NOW).room()).micro
const names = (dir: string) => readdir(dir).catch(() => [])

describe('a refused payment counts until nobody can take it any more', () => {
  test.each([
    ['it may still be taken: nobody is asked', SURE - 1, false, 2_000n, 0],
    ['it has ended and was not taken', SURE, false, 3_000n, 1],
    ['it has ended, and was taken', SURE, true, 2_000n, 1],
    ['it has ended, and the node is away', SURE, 'away' as const, 2_000n, 0],
  ])('%s', async (_, atMs, says, room, asks) => {
    await refuseOne()
    expect(await left()).toBe(2_000n)
    word = says
    await settleRefused(home, rpc, atMs)
    expect([await left(), asked]).toEqual([room, asks])
  })

  test('no node is known: it counts as long as purchases are remembered', async () => {
    await refuseOne()
    await settleRefused(home, null, SURE + 7 * DAY)
    expect([await left(), await names(home.refusedDir)]).toEqual([2_000n, [expect.any(String)]])
    await settleRefused(home, null, SURE + 7 * DAY + 1)
    expect(await names(home.refusedDir)).toEqual([])
  })

  test('one that was taken all the same is told of once, and waits for its answer', async () => {
    await refuseOne()
    word = true
    expect(await settleRefused(home, rpc, SURE)).toMatchObject([{ url: 'https://seller.example/x' }])
    expect(await settleRefused(home, rpc, SURE)).toEqual([])
    expect([await names(home.refusedDir), await names(home.waitingDir)]).toEqual([[], [expect.any(String)]])
    expect(await names(join(home.spentDir, dayOf(NOW)))).toHaveLength(1)
  })

  test('a node that is away is waited for once, however many there are', async () => {
    word = 'away'
    let connections = 0
    node.on('connection', () => connections++)
    await refuseOne()
    await settleRefused(home, rpc, SURE)
    const ofOne = connections
    expect(ofOne).toBeGreaterThan(0)
    for (let n = 0; n < 2; n++) await refuseOne()
    await settleRefused(home, rpc, SURE)
    expect(connections).toBe(2 * ofOne)
    expect(await names(home.refusedDir)).toHaveLength(3)
  })
})
