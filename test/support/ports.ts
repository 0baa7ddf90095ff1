import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the range for outgoing connections, which could take a port before the server it is meant for. */
const FROM = 12_000
/** Ports per worker of the suite; programs outside the suite use the first share. */
const SHARE = 2_500
const SHARES = 8

let next = randomInt(SHARE)

/**
 * A TCP port of 127.0.0.1 that is free now and is given to no other test of this suite, so that a server that is killed
 * can start again on it. Other programs may still take it: bind port 0 wherever the server can tell which port it got.
 */
export async function freePort(): Promise<number> {
  const first = FROM + (Number(process.env.VITEST_POOL_ID ?? 0) % SHARES) * SHARE
  for (;;) {
    const port = first + (next++ % SHARE)
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
