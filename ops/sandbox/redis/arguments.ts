/** What distinguishes our two stores: how much an acknowledged write may lose on a power cut. */
export type RedisStore = {
  dir: string //                            holds the append-only file; must exist
  listen: { socket: string } | { port: number; host: string }
  appendfsync: 'always' | 'everysec' //     ledger: always. pipeline: everysec
  maxMiB?: number //                        of memory; 0: no limit, for tests
  policy?: string //                        maxmemory-policy; anything but noeviction is for tests
  extra?: string[]
}

/**
 * Command line of `redis-server` for one store: append-only file and nothing else, nothing ever evicted.
 * No RDB dump beside it (`save ""`): two kinds of persistence would only disagree after a crash.
 */
export function redisArguments({
  dir,
  listen,
  appendfsync,
  maxMiB = 0,
  policy = 'noeviction',
  extra = [],
}: RedisStore): string[] {
  const where =
    'socket' in listen
      ? { port: '0', unixsocket: listen.socket, unixsocketperm: '700' }
      : { port: String(listen.port), bind: listen.host }
  const settings = {
    ...where,
    dir,
    appendonly: 'yes',
    appendfsync,
    save: '',
    //  the pipeline's file is made anew every few minutes, and packing its texts was half the work; the ledger's is kept for years
    rdbcompression: appendfsync === 'always' ? 'yes' : 'no',
    maxmemory: `${maxMiB}mb`,
    'maxmemory-policy': policy,
    daemonize: 'no',
    loglevel: 'notice',
  }
  return [...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]), ...extra]
}
