import { describe, expect, test } from 'vitest'
import { ping } from '../../../api/goods/ping.ts'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { createGate } from '../../../api/payment/gate.ts'
import { createIntentIds } from '../../../api/payment/intentId.ts'
import { shownTransfer } from '../../support/transferProof.ts'
import { newKey } from '../receipts/keys.ts'

const NOW = 1_790_000_000_000
const PING = '/x402/v1/ping'
const secret = Buffer.alloc(32, 7)
const terms = {
  publicUrl: 'https://micro-data.service.example.com',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0xAbCdEf0123456789abcdef0123456789ABCDEF01',
  tokenName: 'USD Coin',
  tokenVersion: '2',
  maxTimeoutSeconds: 300,
  mode: 'live' as const,
  secret,
  receiptKey: newKey(),
}

/** A request that names a transaction, with an intent that anybody can get for free. */
function naming(txHash: string, signature = ''): HttpRequest {
  const intentId = createIntentIds(secret, PING).issue({ issuedMs: NOW, amountMicroUsdc: 10_000n })
  const headers: Record<string, string> = {
    ...shownTransfer(intentId, txHash),
    ...(signature !== '' && { 'x-service-payer-signature': signature }),
  }
  const count = (name: string) => (headers[name] === undefined ? 0 : 1)
  return {
    rawQuery: '',
    address: '192.0.2.1',
    header: (name: string) => headers[name] ?? '',
    headerCount: count,
  } as unknown as HttpRequest
}

describe('RPL-18 transactions that are named for nothing', () => {
  test('so many are read at once, no more; when one is told another may be', async () => {
    const asked: { maxBytes: number; tell: (transfers: null) => void }[] = []
    const chain = {
      transfers: (_: string, __: string, maxBytes: number) =>
        new Promise((tell) => asked.push({ maxBytes, tell })),
    }
    const ports = { clock: { nowMs: () => NOW }, chain, chainId: 8453 }
    const gate = createGate(ping, terms, ports as unknown as Parameters<typeof createGate>[2])
    const said: string[] = []
    const ask = async (nth: number) => {
      const { body } = await gate(naming(`0x${nth.toString(16).padStart(64, '0')}`))
      said.push(JSON.parse(String(body)).code)
    }
    const all = Array.from({ length: 40 }, (_, nth) => ask(nth))
    await Promise.all(all.slice(32))
    expect(said).toEqual(Array(8).fill('chain_unavailable'))
    expect(asked.map(({ maxBytes }) => maxBytes)).toEqual(Array(32).fill(1024 * 1024))
    for (const { tell } of asked) tell(null)
    await Promise.all(all)
    expect(said.slice(8)).toEqual(Array(32).fill('payment_not_found'))
    const next = ask(40)
    asked.at(-1)!.tell(null)
    await next
    expect(said.at(-1)).toBe('payment_not_found')
  })
  test('a wallet that takes its time to say whether it signed is in nobody’s way who names one', async () => {
    const transfer = { tx: '0x', logIndex: 0, blockIndex: 0, from: '0xa', to: terms.payTo.toLowerCase() }
    const mined = { ...transfer, value: 10_000n, blockNumber: 1n, blockMs: NOW, byAuthorization: false }
    const asked: ((isSigned: boolean) => void)[] = []
    const chain = {
      transfers: async () => [mined],
      isSignedByWallet: () => new Promise<boolean>((tell) => asked.push(tell)),
    }
    const ledger = { find: async () => null, showTransfer: async () => 60_000 }
    const ports = { clock: { nowMs: () => NOW }, chain, chainId: 8453, ledger }
    const gate = createGate(ping, terms, ports as unknown as Parameters<typeof createGate>[2])
    const ask = async (signature = '') => {
      const { body } = await gate(naming(`0x${'0'.repeat(64)}`, signature))
      return JSON.parse(String(body)).code
    }
    const all = Array.from({ length: 40 }, () => ask(`0x${'1b'.repeat(70)}`))
    expect(await Promise.all(all.slice(8))).toEqual(Array(32).fill('chain_unavailable'))
    expect(await ask()).toBe('payer_unproven_yet')
    for (const tell of asked) tell(false)
    expect(await Promise.all(all.slice(0, 8))).toEqual(Array(8).fill('payer_unproven_yet'))
  })
})
