import type { Config, Environment } from '../config.ts'

/** Which stores and servers are ours to start. Somebody else's are used where the environment names them. */
export type Own = {
  redis: boolean
  ledger: boolean
  clickhouse: boolean
  chain: boolean
  venues: boolean
  dns: boolean
}

export function ownParts(config: Config, given: ReadonlySet<keyof Environment>): Own {
  const venueKeys = ['VENUE_A_CATALOG_URL', 'VENUE_A_BOOK_URL', 'VENUE_B_URL'] as const
  return {
    redis: !given.has('REDIS_URL'),
    ledger: !given.has('LEDGER_REDIS_URL'),
    clickhouse: !given.has('CLICKHOUSE_URL'),
    chain: config.MODE === 'sandbox' && !given.has('BASE_RPC_URL'),
    venues: config.VENUES !== 'live' && !venueKeys.every((key) => given.has(key)),
    dns: config.MODE === 'sandbox' && !given.has('DNS_RESOLVERS'),
  }
}

/** Keys of `choosePorts` that this set of parts needs. */
export function usedPorts(own: Own): ReadonlySet<string> {
  const keys: [string, boolean][] = [
    ['PORT', true],
    ['CLICKHOUSE_PORT', own.clickhouse],
    ['CHAIN_PORT', own.chain],
    ['VENUE_A_PORT', own.venues],
    ['VENUE_B_PORT', own.venues],
    ['DNS_PORT', own.dns],
    ['REDIS_PORT', own.redis],
    ['LEDGER_REDIS_PORT', own.ledger],
  ]
  return new Set(keys.filter(([, used]) => used).map(([key]) => key))
}
