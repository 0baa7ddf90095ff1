import { describe, expect, test } from 'vitest'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { chainWorld, quietLog } from './chainWorld.ts'
import { pay } from './payer.ts'
import { startRpcProxy } from './rpcProxy.ts'
import { lower, nonce, USDC } from './vectors.ts'

const world = chainWorld({ buyers: 40 })
describe('an outage is never a refusal', () => {
  test.each<[string, number, string]>([
    ['HTML with 502', 502, '<html>'],
    ['an empty object', 200, '{}'],
    ['a limit', 429, '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit"}}'],
    ['an internal error', 200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}'],
    [
      'a block it has not got',
      200,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}',
    ],
    ['a result of another shape', 200, '{"jsonrpc":"2.0","id":1,"result":"0x01"}'],
    ['cut JSON', 200, '{"jsonrpc":"2.0","id":1,"res'],
  ])('the node answers %s', async (_, status, body) => {
    const sick = await startRpcProxy(world.anvil.rpcUrl)
    sick.treat(() => ({ status, body }))
    const through = createPaymentChain({ rpcUrl: sick.url, log: quietLog })
    await everyMethodIsUnavailable(through)
    await through.close()
    await sick.close()
  })

  test('nobody listens, and nobody answers', async () => {
    const silent = await startRpcProxy(world.anvil.rpcUrl)
    silent.treat(() => new Promise(() => {}))
    const through = createPaymentChain({ rpcUrl: silent.url, log: quietLog, timeoutMs: 200 })
    await everyMethodIsUnavailable(through)
    await through.close()
    await silent.close()
    const gone = createPaymentChain({ rpcUrl: silent.url, log: quietLog })
    await everyMethodIsUnavailable(gone)
    await gone.close()
  })

  test('OPS-08 no error names the node: its address may carry a key', async () => {
    const through = createPaymentChain({ rpcUrl: 'http://127.0.0.1:1/v2/s3cret', log: quietLog })
    const error = await through.transfers(USDC, nonce()).catch((caught) => caught)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/s3cret|127\.0\.0\.1/)
    await through.close()
  })
})

async function everyMethodIsUnavailable(through: ClosableChain): Promise<void> {
  const signed = await pay(world.buyer, world.anvil.receiver)
  const wallet = { ...signed, signer: 'contract' } as const
  const asked = [
    through.refuse(signed),
    through.refuse(wallet),
    through.fate(USDC, lower(world.buyer.address), nonce(), Date.now()),
    through.transfers(USDC, nonce()),
  ]
  for (const answer of await Promise.allSettled(asked)) {
    expect(answer).toMatchObject({
      status: 'rejected',
      reason: { code: 'chain_unavailable', retryable: true },
    })
    expect(answer.status === 'rejected' && answer.reason).toBeInstanceOf(UnavailableError)
  }
}
