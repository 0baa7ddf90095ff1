import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { isAuthorizationUsed } from '../../../ops/purchase/chain.ts'
import type { SignedView } from '../../../ops/purchase/report.ts'

const NO_SUCH_BLOCK = {
  error: { code: -32602, message: 'BlockOutOfRangeError: block height is 7 but requested was 8' },
}
const USED = { result: `0x${'1'.padStart(64, '0')}` }

const SIGNED = {
  offer: { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  from: '0x59aEd5737cA9dc8bF873C0205037993703985d8A',
  nonce: `0x${'bf'.repeat(32)}`,
} as unknown as SignedView

let stop = () => {}
afterEach(() => stop())

/** A node of Base that gives these answers to contract calls, one after the other, and then repeats the last one. */
async function nodeThatSays(...answers: object[]): Promise<string> {
  let calls = 0
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const said = method === 'eth_call' ? answers[Math.min(calls++, answers.length - 1)] : { result: '0x2105' }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('has the token seen the payment?', () => {
  test.each([
    ['a node that says so', [USED], true],
    ['one that had no newest block in the moment it was asked', [NO_SUCH_BLOCK, USED], true],
    ['one that has none the second time either: nobody could say', [NO_SUCH_BLOCK], null],
  ])('%s', async (_, answers, used) => {
    expect(await isAuthorizationUsed(await nodeThatSays(...answers), SIGNED)).toBe(used)
  })
})
