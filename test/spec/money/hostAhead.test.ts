import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIntentIds } from '../../../api/payment/intentId.ts'
import { CLOCK_SLACK_MS } from '../../../api/payment/legacyTimes.ts'
import { HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { get } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { sleep, until } from '../../support/process.ts'
import { transferData } from '../../support/railWorld.ts'
import { type Service, startService } from '../../support/service.ts'
import { transferProof } from '../../support/transferProof.ts'

const PING = '/x402/v1/ping'
const AHEAD_MS = 2 * HOUR

let chain: TestChain
let service: Service
beforeAll(async () => {
  //  for processes and stores it is the same whether their host is ahead or the chain is behind
  chain = await startTestChain({ blockTimeS: 1, startS: Math.floor((Date.now() - AHEAD_MS) / SECOND) })
  service = await startService({ chain })
  await Promise.all(service.apis.map((api) => api.says(/ahead of the chain/)))
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

describe('VAL-10, I4 a whole host two hours ahead: no transfer is older than the intent that it pays', () => {
  const transfer = (to: Hex, atomic: string) =>
    chain.send(chain.buyers[0]!, chain.usdc, transferData(to, BigInt(atomic)))
  const post = async (path: string, body: object) => {
    const own = JSON.stringify({ buyerId: chain.buyers[0]!.address, ...body })
    const answer = await fetch(`${service.bases[0]}${path}`, { method: 'POST', body: own })
    return { status: answer.status, json: (await answer.json()) as { payment: Asked; settlement: Standing } }
  }
  type Asked = { intentId: string; receiverAddress: Hex; amountAtomic: string }
  type Standing = { state: string }
  const open = async () => (await post('/purchase-intent', { sku: 'SKU_AG_PING_01' })).json.payment

  test('the chain is behind indeed', async () => {
    const { timestamp } = await chain.clients.reads.getBlock()
    const behindMs = Date.now() - Number(timestamp) * SECOND
    expect(behindMs).toBeGreaterThan(AHEAD_MS - MINUTE)
  })

  test('5.2 on the legacy path', async () => {
    const { intentId, payTo, amountAtomic } = (await get(`${service.bases[0]}${PING}`)).json.payment
    const tx = await transfer(payTo, amountAtomic)
    const shown = await transferProof(chain.buyers[0]!, intentId, tx)
    const answer = await get(`${service.bases[1]}${PING}`, shown)
    expect(answer.status, answer.text).toBe(200)
  })

  test('5.3 on the classic path, and the purchase is not over before its time', async () => {
    const bought = await open()
    const untouched = await open()
    const txHash = await transfer(bought.receiverAddress, bought.amountAtomic)
    const sold = await until('sold', async () => {
      const answer = await post('/fulfill', { intentId: bought.intentId, txHash })
      return answer.status === 202 ? null : answer
    })
    expect(sold.status, JSON.stringify(sold.json)).toBe(200)
    await sleep(5 * SECOND) //  two looks of the worker
    const { settlement } = (await post('/checkout/settle', { intentId: untouched.intentId })).json
    expect(settlement.state).toBe('New')
  })

  test('an intent is dated by the blocks, within the slack: earlier transfers are still older than it', async () => {
    const { intentId, payTo } = (await get(`${service.bases[0]}${PING}`)).json.payment
    const ids = createIntentIds(await readFile(join(service.dir, 'secret')), PING, payTo)
    const { timestamp } = await chain.clients.reads.getBlock()
    const apartMs = Number(timestamp) * SECOND - ids.read(intentId)!.issuedMs
    expect(Math.abs(apartMs)).toBeLessThan(CLOCK_SLACK_MS)
  })
})
