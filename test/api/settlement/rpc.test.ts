import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
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

test.each<[string, (socket: Socket) => void]>([
  ['closed', (socket) => socket.destroy()],
  ['reset, its request unread', (socket) => socket.resetAndDestroy()],
])('a connection that a node has %s as we write: asked once more, and no third time', async (_, cut) => {
  let cuts = 1
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    if (cuts-- > 0) return cut(request.socket)
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const rpc = createRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  try {
    expect([await rpc.call('eth_chainId', []), asked]).toEqual(['0x1', 2])
    cuts = 2
    await expect(rpc.call('eth_chainId', [])).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(asked).toBe(4)
  } finally {
    await rpc.close()
    server.close()
  }
})
