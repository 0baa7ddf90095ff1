import { type AddressInfo, createServer, type Server } from 'node:net'

/** A host as it stands in a URL: an IPv6 address in brackets. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** @param port 0: a free one. @returns the port it listens on. @throws when it cannot, with the system's `code`. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return (server.address() as AddressInfo).port
}

/**
 * Listens for a moment, to see whether that is possible or which port is free. Nothing is reserved: another process may
 * take the port meanwhile. The same parameters and errors as `listen`.
 */
export async function tryPort(host: string, port: number): Promise<number> {
  const server = createServer()
  const bound = await listen(server, host, port)
  await new Promise((resolve) => server.close(resolve))
  return bound
}
