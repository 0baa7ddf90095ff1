import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payerText } from '../../../api/classic/payerSignature.ts'
import { createIntentIds } from '../../../api/payment/intentId.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { get, offerOf } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'
import { shownTransfer } from '../../support/transferProof.ts'

let chain: TestChain
let service: Service
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const PING = { sku: 'SKU_AG_PING_01', payload: {} }
const buyer = () => chain.buyers[0]!
const post = async (path: string, body: object, side = 0) => {
  const response = await fetch(`${service.bases[side]}${path}`, {
    method: 'POST',
    body: JSON.stringify({ buyerId: buyer().address, ...body }),
  })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) }
}
const open = async (body: object = PING) => {
  const said = await post('/purchase-intent', body)
  expect(said.status, said.text).toBe(402)
  return said.json.payment as { intentId: string; amountAtomic: string; receiverAddress: Hex }
}
const send = (atomic: string, sender = buyer()) =>
  chain.send(
    sender,
    chain.usdc,
    encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transfer',
      args: [chain.receiver, BigInt(atomic)],
    }),
  )

describe('5.3 the classic path over a real chain, two processes and the worker', () => {
  test('open, send USDC, fulfil by hash: the receipt verifies, the other process gives the same bytes', async () => {
    const payment = await open()
    expect(payment.receiverAddress.toLowerCase()).toBe(chain.receiver.toLowerCase())
    const txHash = await send(payment.amountAtomic)
    const said = await post('/fulfill', { intentId: payment.intentId, txHash })
    expect(said.status, said.text).toBe(200)
    expect(said.json.result.ping.txHash).toBe(txHash)
    const id = said.json.result.paymentAttestation.attestationId
    expect((await get(`${service.bases[1]}/api/receipt-oracle/verify?id=${id}`)).json.valid).toBe(true)
    expect((await post('/fulfill', { intentId: payment.intentId }, 1)).text).toBe(said.text)
  })

  test('CLS-15, I2 the transfer then pays nothing on the legacy path', async () => {
    const payment = await open()
    const txHash = await send(payment.amountAtomic)
    await post('/fulfill', { intentId: payment.intentId, txHash })
    const base = service.bases[0]!
    await offerOf(base, '/x402/v1/ping')
    const { payment: legacy } = (await get(`${base}/x402/v1/ping`)).json
    const proof = JSON.stringify({ intentId: legacy.intentId, txHash, paymentRail: 'usdc_base' })
    expect((await get(`${base}/x402/v1/ping`, { 'x-payment': proof })).status).toBe(409)
  })

  test.each([
    ['the amount', 0],
    ['his wallet', 1],
  ])(
    'CLS-03 who was wrong about %s loses it to nobody: an intent of a 402 that fits has it by signature only',
    async (_, wallet) => {
      const { intentId } = await open()
      const sender = chain.buyers[wallet]!
      const txHash = await send('10000', sender) //  the list price, as people pay it
      const { signMessage } = privateKeyToAccount(sender.privateKey)
      const payerSignature = await signMessage({ message: payerText(intentId, txHash) })
      const asked = await until('the transfer is deep enough to be told of', async () => {
        const { status, json } = await post('/fulfill', { intentId, txHash })
        return status === 202 ? null : json
      })
      expect(asked.code).toBe('transfer_mismatch')
      const secret = await readFile(join(service.dir, 'secret'))
      const fits = { issuedMs: Date.now(), amountMicroUsdc: 10_000n }
      const thief = createIntentIds(secret, '/x402/v1/ping').issue(fits)
      const url = `${service.bases[1]}/x402/v1/ping`
      expect((await get(url, shownTransfer(thief, txHash))).json.code).toBe('payer_unproven')
      const said = await post('/fulfill', { intentId, txHash, payerSignature })
      expect(said.status, said.text).toBe(200)
      expect((await get(url, shownTransfer(thief, txHash))).json.code).toBe('bound_elsewhere')
    },
  )

  test('the worker finds the transfer without a client', async () => {
    const payment = await open()
    await send(payment.amountAtomic)
    const name = await until('the intent is confirmed', async () => {
      const keys = await service.ledger.redis.zrange('intents:unanswered', '0', '-1')
      return keys[0]
    })
    expect(name).toMatch(/^[0-9a-f]{64}$/)
    expect((await post('/fulfill', { intentId: payment.intentId })).status).toBe(200)
  })

  test('CLS-07 a part that is signed for, then what is missing: the same request finds it', async () => {
    const buyerId = 'agent-in-parts'
    const { intentId, amountAtomic } = await open({ ...PING, buyerId })
    const txHash = await send((BigInt(amountAtomic) / 3n).toString())
    const { signMessage } = privateKeyToAccount(buyer().privateKey)
    const payerSignature = await signMessage({ message: payerText(intentId, txHash) })
    const ask = () => post('/fulfill', { intentId, buyerId, txHash, payerSignature })
    const settlement = await until('the part counts', async () => {
      const said = await ask()
      return said.json.code === 'underpaid' && said.json.settlement
    })
    await send(settlement.missing[0].amountAtomic)
    await until('the rest counts', async () => (await ask()).status === 200)
  })

  test.each(['CP8', 'CP9', 'CP10'])(
    'CRA-06 kill -9 at %s: the resend gives the answer, one sale',
    async (point) => {
      await service.restartApi(0, { FAULT_POINT: `${point}:kill` })
      const payment = await open()
      const txHash = await send(payment.amountAtomic)
      const sales = await service.ledger.redis.xlen('sales')
      await expect(post('/fulfill', { intentId: payment.intentId, txHash })).rejects.toThrow()
      const said = await post('/fulfill', { intentId: payment.intentId, txHash }, 1)
      expect(said.status, said.text).toBe(200)
      await service.restartApi(0)
      expect((await post('/fulfill', { intentId: payment.intentId })).text).toBe(said.text)
      expect((await service.ledger.redis.xlen('sales')) - sales).toBe(1)
    },
  )

  test('CLS-13 a reverted transfer pays nothing', async () => {
    const payment = await open()
    const data = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transfer',
      args: [chain.receiver, 10n ** 15n],
    })
    const { wallet, reads } = chain.clients
    const txHash = await wallet.sendTransaction({
      account: privateKeyToAccount(buyer().privateKey),
      to: chain.usdc,
      data,
      gas: 200_000n,
    })
    expect((await reads.waitForTransactionReceipt({ hash: txHash })).status).toBe('reverted')
    const said = await post('/fulfill', { intentId: payment.intentId, txHash })
    expect([said.status, said.json.code]).toEqual([409, 'transfer_mismatch'])
  })
})
