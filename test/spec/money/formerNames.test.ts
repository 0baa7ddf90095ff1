import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formerTransferKey, transferKey } from '../../../api/ledger/ledger.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { get } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Service, startService } from '../../support/service.ts'
import { intentOver, shownTransfer, transferProof } from '../../support/transferProof.ts'

/** Entries of a ledger that was written when transfers were named by their place in the block. */
const PING = '/x402/v1/ping?echo=then'

let chain: TestChain
let service: Service
let url: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1 })
  url = `${service.bases[0]}${PING}`
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const transfer = (to: Hex, atomic: string) =>
  chain.send(
    chain.buyers[0]!,
    chain.usdc,
    encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to, BigInt(atomic)] }),
  )

describe('CLS-01, RPL-15 a transfer that bought something then', () => {
  test('gives the stored answer to its proof, and buys nothing else on any path', async () => {
    const { payment } = (await get(url)).json
    //  over the same amount, and issued before the transfer like the first
    const [path, micro] = [new URL(url).pathname, BigInt(payment.amountAtomic)]
    const other = await intentOver(service, path, micro, { payTo: chain.receiver })
    const txHash = await transfer(payment.payTo, payment.amountAtomic)
    const proof = await transferProof(chain.buyers[0]!, payment.intentId, txHash)
    const first = await get(url, proof)
    expect(first.status, first.text).toBe(200)
    const { redis } = service.ledger
    const [now, then] = [transferKey(8453, txHash, 0), formerTransferKey(8453, txHash, 0)]
    await redis.rename(`claim:${now}`, `claim:${then}`)
    await redis.rename(`spent:${now}`, `spent:${then}`)

    expect((await get(url, proof)).text).toBe(first.text)
    expect((await get(url, shownTransfer(other, txHash))).json.code).toBe('bound_elsewhere')

    await redis.del(`claim:${then}`) //  answered, and forgotten since
    expect((await get(url, proof)).json.code).toBe('bound_elsewhere')
    const intent = await fetch(`${service.bases[0]}/purchase-intent`, {
      method: 'POST',
      body: JSON.stringify({ sku: 'SKU_AG_PING_01', payload: {}, buyerId: chain.buyers[0]!.address }),
    })
    const { intentId } = ((await intent.json()) as { payment: { intentId: string } }).payment
    const classic = await fetch(`${service.bases[0]}/fulfill`, {
      method: 'POST',
      body: JSON.stringify({ intentId, txHash, buyerId: chain.buyers[0]!.address }),
    })
    expect(classic.status).toBe(409)
  })
})
