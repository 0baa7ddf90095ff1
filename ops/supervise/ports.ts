import { type Config, ConfigError } from '../config.ts'
import { tryPort } from '../listen.ts'

export const RAIL_PORTS = [
  'ETHEREUM_PORT',
  'POLYGON_PORT',
  'ARBITRUM_PORT',
  'SOLANA_PORT',
  'BITCOIN_PORT',
  'PRICES_PORT',
] as const
const SINGLE = [
  'PORT',
  'CLICKHOUSE_PORT',
  'CHAIN_PORT',
  'VENUE_A_PORT',
  'VENUE_B_PORT',
  'DNS_PORT',
  'CARDPAY_PORT',
  ...RAIL_PORTS,
] as const
const SOCKET_UNLESS_GIVEN = ['REDIS_PORT', 'LEDGER_REDIS_PORT'] as const

export type Ports = Record<(typeof SINGLE)[number], number> & {
  REDIS_PORT: number | null //         null: a unix socket
  LEDGER_REDIS_PORT: number | null
  operator: number[] //                one for each of our own processes
}

/**
 * Fixes every port before anything starts, so that a part that is started again comes back where the others
 * look for it. A port that somebody else holds is refused here, by the name of its key.
 * @param used which keys matter: a store that is somebody else's needs no port of ours.
 * @param former taken again, where they are free, for keys that name none.
 */
export async function choosePorts(
  config: Config,
  used: ReadonlySet<string>,
  operatorCount: number,
  former: Partial<Record<(typeof SINGLE)[number], number>> = {},
): Promise<Ports> {
  const problems: string[] = []
  const taken = new Set<number>()
  const choose = async (key: string, wanted: number, host: string): Promise<number> => {
    if (wanted === 0) return freePort(taken)
    const problem = taken.has(wanted) ? 'is given to two keys' : await whyNot(wanted, host)
    if (problem !== null)
      problems.push(`${key}: port ${wanted} ${problem}; set ${key} to another one, or stop it`)
    taken.add(wanted)
    return wanted
  }
  const single = Object.fromEntries(SINGLE.map((key) => [key, 0])) as Record<(typeof SINGLE)[number], number>
  //  given ones first, so that a free one is never one that is given
  const keys = SINGLE.filter((key) => used.has(key)).sort(
    (a, b) => Number(config[b] > 0) - Number(config[a] > 0),
  )
  const operator: number[] = []
  for (let n = 0; n < operatorCount; n++)
    if (config.OPERATOR_PORT !== 0)
      operator.push(await choose('OPERATOR_PORT', config.OPERATOR_PORT + n, config.HOST))
  const redis = { REDIS_PORT: null as number | null, LEDGER_REDIS_PORT: null as number | null }
  for (const key of SOCKET_UNLESS_GIVEN)
    if (used.has(key) && config[key] !== 0) redis[key] = await choose(key, config[key], '127.0.0.1')
  for (const key of keys)
    single[key] = await choose(
      key,
      config[key] || (await ifFree(former[key], taken)),
      key === 'PORT' ? config.HOST : '127.0.0.1',
    )
  while (operator.length < operatorCount) operator.push(await choose('OPERATOR_PORT', 0, config.HOST))
  if (problems.length > 0) throw new ConfigError(problems)
  return { ...single, ...redis, operator }
}

async function whyNot(port: number, host: string): Promise<string | null> {
  if (port > 65_535) return 'is beyond 65535'
  return tryPort(host, port).then(
    () => null,
    (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? 'is in use by another process' : `cannot be used (${error.code})`,
  )
}

/** @returns 0 where it is not. */
const ifFree = async (port: number | undefined, taken: ReadonlySet<number>): Promise<number> =>
  port !== undefined && !taken.has(port) && (await whyNot(port, '127.0.0.1')) === null ? port : 0

async function freePort(taken: Set<number>): Promise<number> {
  for (;;) {
    const port = await tryPort('127.0.0.1', 0)
    if (taken.has(port)) continue
    taken.add(port)
    return port
  }
}
