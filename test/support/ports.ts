import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below what systems give to connections that go out: one of those would take it before whoever it is for. */
const FROM = 12_000
/** Ports of one worker of the suite; programs that are no worker share the first of them. */
const SHARE = 2_500
const SHARES = 8

let next = randomInt(SHARE)

/**
 * A TCP port of 127.0.0.1 that is free now, and that no test of this suite is given besides: a server that is killed and starts
 * again finds its own. Other programs may still take it, so bind port 0 wherever the server can tell which port it got.
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
