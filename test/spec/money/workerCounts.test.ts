import { encodeFunctionData, erc20Abi } from 'viem'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { intentName } from '../../../api/classic/order.ts'
import { intentClaimKey } from '../../../api/ledger/intentKeys.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey } from '../../../api/ledger/ledger.ts'
import { rawRequest } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

/** What the alerts about money read (ops/image/alerts.yml), as the worker that runs counts it. */
let chain: TestChain
let service: Service
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, worker: false })
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const post = async (path: string, body: object) => {
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await rawRequest(service.bases[0]!, { path, method: 'POST', ...json })
  return { status: answer.status, json: JSON.parse(answer.text) }
}

/** A purchase whose price its buyer has sent. */
async function transferred(buyer: TestChain['buyers'][number]) {
  const order = { sku: 'SKU_AG_PING_01', payload: { echo: 'hello' }, buyerId: buyer.address }
  const { intentId, receiverAddress, amountAtomic } = (await post('/purchase-intent', order)).json.payment
  const args = [receiverAddress, BigInt(amountAtomic)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  return { intentId, buyerId: buyer.address, txHash: await chain.send(buyer, chain.usdc, data) }
}

async function shown(name: string): Promise<number> {
  const [, port] = await service.worker!.says(/"operatorPort":(\d+)/)
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const [series, label = ''] = name.split(/[{}]/)
  return Number(new RegExp(`^${series}\\{${label}.*\\} (\\S+)$`, 'm').exec(text)?.[1])
}

/** What is wrong before the worker starts, and the series that says so. */
const WRONG: [string, () => Promise<unknown>][] = [
  ['finality_total{outcome="suspended"}', soldAndGone],
  ['finality_total{outcome="restored"}', takenBackAndThere],
  ['intents_total{outcome="taken"}', async () => transferred(chain.buyers[2]!)],
  ['ledger_rows_wrong{rule="type"}', () => service.ledger.redis.set(KEYS.account('0'), 'no row')],
  ['receipt_keys_missing', () => service.ledger.redis.sadd(KEYS.signers, 'another key')],
]

/** By an authorization whose transaction left the chain a long time ago. */
async function soldAndGone(): Promise<void> {
  const { ledger, redis } = service.ledger
  const payment = { ...somePayment(1), asset: chain.usdc }
  const key = authorizationKey(payment)
  await ledger.claim(key, 'owner', someTerms({ asset: chain.usdc }), payment)
  await ledger.recordSettled(key, { ...someSettled(1), blockNumber: 1n }, 8453)
  await redis.hset(KEYS.claim(key), { body: '{}', deliveredAt: 1, missing: 1 })
}

/** A purchase that was answered and then suspended, while its money is on the chain. */
async function takenBackAndThere(): Promise<void> {
  const purchase = await transferred(chain.buyers[1]!)
  await until('it is answered', async () => (await post('/fulfill', purchase)).status === 200)
  await service.ledger.redis.hset(KEYS.claim(intentClaimKey(intentName(purchase.intentId))), 'suspended', 1)
}

describe('the worker as it runs counts', () => {
  beforeAll(async () => {
    for (const [, make] of WRONG) await make()
    await service.startWorker()
  })
  test.each(WRONG)('%s', async (name) => {
    await until('it is told', async () => (await shown(name)) > 0)
  })
})
