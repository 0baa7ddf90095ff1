import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChainableCommander, Redis } from 'ioredis'
import { redisArguments } from '../../ops/sandbox/redis/arguments.ts'
import { tied } from '../../ops/sandbox/tied.ts'
import { type Running, run, sleep } from './process.ts'

export type TestRedis = {
  url: string //  unix:/path
  dir: string //  append-only file and socket
  readonly pid: number // of the server that runs now
  stop(): Promise<void> //    ends the server and removes the folder
  kill(): Promise<void> //    kill -9; the folder stays, restart() brings the data back
  restart(): Promise<void> // same folder and socket; ends a running server first (SIGTERM)
}

/**
 * A real Redis server of its own on a unix socket, answering when the promise resolves.
 * @param appendfsync 'always' is the ledger's setting, 'everysec' the pipeline's.
 * @param extra further redis-server arguments, later ones win: ['--appendonly', 'no'].
 */
export async function startRedis({
  appendfsync = 'everysec',
  policy,
  extra,
}: {
  appendfsync?: 'always' | 'everysec'
  policy?: string
  extra?: string[]
} = {}): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-redis-'))
  const socket = join(dir, 'redis.sock')
  let server: Running
  let stopped = false
  const start = async () => {
    const args = redisArguments({ dir, listen: { socket }, appendfsync, policy, extra })
    server = run(...tied('redis-server', args))
    await answers(server, socket)
  }
  const end = () => {
    process.off('exit', lastResort)
    return server.stop()
  }
  const lastResort = () => server.child.kill('SIGKILL')
  await start()
  process.on('exit', lastResort)
  return {
    url: `unix:${socket}`,
    dir,
    get pid() {
      return server.pid
    },
    async stop() {
      if (stopped) return
      stopped = true
      await end()
      await rm(dir, { recursive: true, force: true })
    },
    async kill() {
      await server.kill()
    },
    async restart() {
      await server.stop()
      await start()
    },
  }
}

export type Watched = { commands(): string; stop(): void }

/**
 * Records every command that a server receives from now on, one per line. Not through ioredis: a command that arrives
 * in one piece with the answer to MONITOR breaks its connection.
 * @param url `unix:/path`
 */
export async function watchCommands(url: string): Promise<Watched> {
  const socket = connect(url.slice('unix:'.length))
  let text = ''
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  socket.write('MONITOR\r\n')
  const endMs = Date.now() + 20_000
  while (!text.startsWith('+OK\r\n')) {
    if (Date.now() > endMs) throw new Error(`MONITOR was not answered: ${text}`)
    await sleep(5)
  }
  return { commands: () => text.slice('+OK\r\n'.length), stop: () => socket.destroy() }
}

/** Waits until the server answers PING, which it does not while it still loads its append-only file. */
async function answers(server: Running, socket: string): Promise<void> {
  let ended = false
  server.exited.then(() => {
    ended = true
  })
  const probe = new Redis(socket, { lazyConnect: false, retryStrategy: () => 25, maxRetriesPerRequest: null })
  probe.on('error', () => {})
  try {
    const endMs = Date.now() + 20_000
    for (;;) {
      if (ended) throw new Error(`redis-server ended at start:\n${server.stdout()}\n${server.stderr()}`)
      if (Date.now() > endMs) throw new Error(`redis-server did not answer within 20 s:\n${server.stdout()}`)
      const pong = await Promise.race([probe.ping().catch(() => null), sleep(100)])
      if (pong === 'PONG') return
    }
  } finally {
    probe.disconnect()
  }
}

/**
 * Remembers all that is stored.
 * @returns a transaction after which it is stored again, and nothing else; to be executed, or added to.
 */
export async function rememberStore(redis: Redis): Promise<() => ChainableCommander> {
  const keys = await redis.keys('*')
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
  return () => keys.reduce((back, key, at) => back.restore(key, 0, values[at]!), redis.multi().flushall())
}

/** A connection that calls `before` and `after` with every command; what they throw reaches the caller. */
export function watched(
  connection: Redis,
  {
    before,
    after,
  }: {
    before?(command: string, args: readonly unknown[]): unknown
    after?(reply: unknown, command: string): unknown
  },
): Redis {
  return new Proxy(connection, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        await before?.(String(key), args)
        const reply: unknown = await member.apply(target, args)
        await after?.(reply, String(key))
        return reply
      }
    },
  })
}
