import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createRpc } from '../../../api/settlement/rpc.ts'

test.each([
  ['user:p%40ss@', 'user:p@ss'],
  ['user@', 'user:'],
  [':p@', ':p'], //  a key alone, as some nodes give it
])('a node is told the user and the password of its address: %s', async (written, told) => {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const rpc = createRpc(`http://${written}127.0.0.1:${(server.address() as AddressInfo).port}/`)
  try {
    await rpc.call('eth_chainId', [])
  } finally {
    await rpc.close()
    server.close()
  }
  expect(seen).toEqual([`Basic ${Buffer.from(told).toString('base64')}`])
})
