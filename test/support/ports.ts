import { type AddressInfo, createServer } from 'node:net'

/**
 * A TCP port of 127.0.0.1 that is free now. Nothing reserves it: another process may take it before the
 * caller does, so bind port 0 wherever the server can tell which port it got.
 */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
