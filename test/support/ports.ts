import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below what systems give to connections that go out: one of those would take it before whoever it is for. */
const FROM = 12_000
const UNTIL = 32_000

/**
 * A TCP port of 127.0.0.1 that is free now. Nothing reserves it: another process may take it before the
 * caller does, so bind port 0 wherever the server can tell which port it got.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, UNTIL)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (listens) await new Promise((resolve) => server.close(resolve))
  return listens
}
