import { mkdirSync } from 'node:fs'
import { redisArguments } from '../sandbox/redis/arguments.ts'
import { SECOND } from '../units.ts'
import type { Part } from './part.ts'
import { probeRedis } from './probes.ts'
import { cutZeroTail } from './zeroTail.ts'

/**
 * One of our two Redis servers. `policy` and persistence are in the arguments, not in a file one could edit. A Redis
 * that cannot write to its disk ends itself; until it can, what needs it is closed and the rest goes on (DATA-16).
 */
export function redisPart({
  role,
  label,
  dir,
  listen,
  appendfsync,
  maxMiB,
  system,
}: {
  role: string
  label: string
  dir: string
  listen: { socket: string } | { port: number; host: string }
  appendfsync: 'always' | 'everysec'
  maxMiB: number
  system: Record<string, string>
}): Part {
  return {
    role,
    label,
    needs: [],
    graceMs: 10 * SECOND,
    isNeverGivenUp: true,
    spawn() {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      const cut = cutZeroTail(dir)
      const args = redisArguments({ dir, listen, appendfsync, maxMiB })
      const start = { command: 'redis-server', args, env: system, ipc: false }
      return cut === 0 ? start : { ...start, found: `its newest file ended in ${cut} zero bytes: cut off` }
    },
    notReady: () => probeRedis(listen),
  }
}

export const redisUrl = (listen: { socket: string } | { port: number; host: string }): string =>
  'socket' in listen ? `unix:${listen.socket}` : `redis://${listen.host}:${listen.port}`
