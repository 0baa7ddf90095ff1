import { type AddressInfo, createServer, isIP, type Server } from 'node:net'

/** A host as it stands in a URL: an IPv6 address in brackets. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/**
 * An address or a name. Text with nothing in it is neither: the system would listen on every network there is, also with
 * what only operators may ask.
 */
export const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/i.test(text)

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
