import { PaymentRequiredV1Schema } from '@x402/core/schemas'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client'
import { extractDiscoveryInfoV1, isDiscoverableV1 } from '@x402/extensions/bazaar'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenKindOf } from '../../../api/entitlements/issue.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { get } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Service, startService } from '../../support/service.ts'

let chain: TestChain
let service: Service
let base: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1 })
  base = service.bases[0]!
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const plain = GOODS.filter((good) => tokenKindOf(good) === null)
const tokens = GOODS.filter((good) => tokenKindOf(good) !== null)

describe('x402-v2 1.7 the body of a 402 is what a client of version 1 reads', () => {
  test.each(plain.map((good) => [good.path, good] as const))('%s', async (path, good) => {
    const { json } = await get(`${base}${path}`)
    const { accepts, x402Version } = PaymentRequiredV1Schema.parse(json)
    expect(x402Version).toBe(1)
    expect(accepts).toHaveLength(1)
    expect(accepts[0]).toMatchObject({
      scheme: 'exact',
      network: 'base',
      maxAmountRequired: good.priceMicroUsdc.toString(),
      resource: `http://127.0.0.1:8402${path}`,
      mimeType: 'application/json',
      description: good.description,
      payTo: chain.receiver,
      asset: chain.usdc,
      extra: { name: 'USD Coin', version: '2' },
    })
    expect(isDiscoverableV1(accepts[0] as never)).toBe(true)
    const { input } = extractDiscoveryInfoV1(accepts[0] as never)! as { input: Record<string, unknown> }
    const taken = good.parameters.filter(({ insteadOf }) => insteadOf === undefined)
    const examples = taken.map(({ name, example }) => [name, example])
    expect(input).toMatchObject({ type: 'http', method: 'GET' })
    if (examples.length > 0) expect(input.queryParams).toEqual(Object.fromEntries(examples))
  })

  test.each(tokens.map(({ path }) => path))(
    '%s sells a token: a client of version 1 is offered nothing',
    async (path) => {
      const { json } = await get(`${base}${path}`)
      expect(PaymentRequiredV1Schema.safeParse(json).success).toBe(false)
      expect(json).toMatchObject({ x402Version: 2, accepts: [{ network: 'eip155:8453' }] })
    },
  )
})

describe('a stock client buys', () => {
  /** What a transport of version 1 sees: it knows nothing of the headers of version 2. */
  const withoutV2: typeof fetch = async (...request) => {
    const response = await fetch(...request)
    const headers = new Headers(response.headers)
    headers.delete('payment-required')
    headers.delete('content-encoding')
    return new Response(await response.text(), { status: response.status, headers })
  }
  const client = (buyer: number) => {
    const account = privateKeyToAccount(chain.buyers[buyer]!.privateKey)
    return new x402Client()
      .registerV1('base', new ExactEvmSchemeV1(account))
      .register('eip155:8453', new ExactEvmScheme(account))
  }

  test('in version 1 from the body alone, for the price and once', async () => {
    const before = await chain.balance(chain.receiver)
    const response = await wrapFetchWithPayment(withoutV2, client(0))(`${base}/x402/v1/ping?echo=v1`)
    const answer = (await response.json()) as { result: { ping: { echo: string; txHash: string } } }
    expect([response.status, answer.result.ping.echo]).toEqual([200, 'v1'])
    const result = JSON.parse(Buffer.from(response.headers.get('x-payment-response')!, 'base64').toString())
    expect(result).toMatchObject({ success: true, network: 'base', transaction: answer.result.ping.txHash })
    expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
  })

  test('in version 2 from the header, whatever the body says', async () => {
    const response = await wrapFetchWithPayment(fetch, client(1))(`${base}/x402/v1/ping?echo=v2`)
    expect([response.status, response.headers.get('x-payment-response')]).toEqual([200, null])
    expect(response.headers.get('payment-response')).not.toBeNull()
  })
})
