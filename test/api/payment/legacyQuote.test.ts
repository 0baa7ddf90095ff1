import { describe, expect, test } from 'vitest'
import { ping } from '../../../api/goods/ping.ts'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { parseQuery } from '../../../api/http/query.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { fingerprintOf } from '../../../api/payment/fingerprint.ts'
import { createGate } from '../../../api/payment/gate.ts'
import { createIntentIds } from '../../../api/payment/intentId.ts'
import { REFUND_HEAD } from '../../../api/payment/refundMark.ts'
import { shownTransfer, transferProof } from '../../support/transferProof.ts'
import { BUYER, classicWorld } from '../classic/world.ts'
import { newKey } from '../receipts/keys.ts'

const world = classicWorld()
const PING = '/x402/v1/ping'
const [OLD, NEW] = [`0x${'0a'.repeat(20)}`, `0x${'0b'.repeat(20)}`] as [string, string]
const secret = Buffer.alloc(32, 7)
const terms = {
  publicUrl: 'https://micro-data.service.example.com',
  network: 'eip155:8453',
  secret,
  asset: `0x${'a5'.repeat(20)}`,
  receiptKey: newKey(),
  mode: 'sandbox' as const,
  tokenName: 'USD Coin',
  tokenVersion: '2',
  maxTimeoutSeconds: 300,
}

/** The gate of a process that asks this price for this receiver, over a chain with this one transaction. */
function selling(priceMicroUsdc: bigint, payTo: string, txHash: string, value: bigint, to = OLD) {
  const transfer = {
    tx: txHash,
    logIndex: 0,
    blockIndex: 0,
    from: BUYER,
    to,
    value,
    blockNumber: 1n,
    blockMs: world.nowMs,
    byAuthorization: false,
  }
  const chain = { transfers: async () => [transfer] }
  const ports = { ...world.ports, chain, chainId: 8453 }
  const gate = createGate(
    { ...ping, priceMicroUsdc },
    { ...terms, payTo },
    ports as unknown as Parameters<typeof createGate>[2],
  )
  return async (headers: Record<string, string>, rawQuery = 'echo=mine') => {
    const reply = await gate({
      rawQuery,
      address: '192.0.2.1',
      header: (name: string) => headers[name] ?? '',
      headerCount: (name: string) => (headers[name] ? 1 : 0),
    } as unknown as HttpRequest)
    return { status: reply.status, text: String(reply.body), json: JSON.parse(String(reply.body)) }
  }
}
const intentTo = (payTo: string, amountMicroUsdc = 9_990n) =>
  createIntentIds(secret, PING, payTo).issue({ issuedMs: world.nowMs, amountMicroUsdc })
const SENDER = { privateKey: `0x${'b1'.repeat(32)}` } as const
const fresh = (nth: number) => `0x${nth.toString(16).padStart(64, 'f')}`

describe('decision 003: what a 402 asked for stays what buys, whatever the next one asks for', () => {
  test.each([
    ['price', 20_000n, OLD],
    ['receiver', 10_000n, NEW],
    ['price and receiver', 20_000n, NEW],
  ])('I4 a resend after another %s is answered with the same bytes', async (what, price, payTo) => {
    const txHash = fresh(what.length)
    const intentId = intentTo(OLD)
    const proof = await transferProof(SENDER, intentId, txHash)
    const first = await selling(10_000n, OLD, txHash, 9_990n)(proof)
    expect(first.status, first.text).toBe(200)
    const again = selling(price, payTo, txHash, 9_990n)
    expect((await again(proof)).text).toBe(first.text)
    expect((await again(shownTransfer(intentId, txHash))).text).toBe(first.text)
    const elsewhere = await again(proof, 'echo=another')
    expect([elsewhere.status, elsewhere.json.code]).toEqual([409, 'bound_elsewhere'])
  })

  test('I4 a claim that a former version bound at the price of then, not at what was paid, is answered to its buyer', async () => {
    const txHash = fresh(101)
    const intentId = intentTo(OLD)
    const proof = await transferProof(SENDER, intentId, txHash)
    const shop = selling(10_000n, OLD, txHash, 9_990n)
    const first = await shop(proof)
    expect(first.status, first.text).toBe(200)
    const question = { query: parseQuery('echo=mine')!, payload: '' }
    const fp = fingerprintOf(PING, question, ping.sku, { amount: '10000', asset: terms.asset, payTo: OLD })
    await world.store.redis.hset(KEYS.claim(transferKey(8453, txHash, 0)), { fp })
    expect((await shop(proof)).text).toBe(first.text)
    const elsewhere = await shop(proof, 'echo=another')
    expect([elsewhere.status, elsewhere.json.code]).toEqual([409, 'bound_elsewhere'])
  })

  test('who paid whom the 402 named buys, also when he shows it after another receives', async () => {
    const txHash = fresh(100)
    const said = await selling(
      10_000n,
      NEW,
      txHash,
      9_990n,
    )(await transferProof(SENDER, intentTo(OLD), txHash))
    expect(said.status, said.text).toBe(200)
    expect(said.json.result.paymentAttestation.payload).toMatchObject({ payTo: OLD, amountAtomic: '9990' })
  })

  test.each([
    ['an intent that named the one of now', NEW, OLD, 'transfer_mismatch'],
    ['money for somebody who was never named', OLD, `0x${'0c'.repeat(20)}`, 'intent_invalid'],
  ])('money for a former receiver buys nothing with %s', async (what, named, to, code) => {
    const txHash = fresh(what.length)
    const proof = await transferProof(SENDER, intentTo(named), txHash)
    expect((await selling(10_000n, NEW, txHash, 9_990n, to)(proof)).json.code).toBe(code)
  })
})

test('design 4: money that was given back goes to who signs that he has sent it, not to who has read hash and intent', async () => {
  const txHash = fresh(200)
  const intentId = intentTo(OLD)
  const proof = await transferProof(SENDER, intentId, txHash)
  const shop = selling(10_000n, OLD, txHash, 9_990n)
  expect((await shop(proof)).status).toBe(200)
  const body = `${REFUND_HEAD}"result":{"storeCredit":{"claimCode":"of its buyer"}}}`
  await world.store.redis.hset(KEYS.claim(transferKey(8453, txHash, 0)), { body })
  const stranger = await shop(shownTransfer(intentId, txHash))
  expect([stranger.status, stranger.json.code]).toEqual([403, 'refund_unproven'])
  expect((await shop(proof)).text).toBe(body)
})
