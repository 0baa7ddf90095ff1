import type { Config, Environment } from '../config.ts'
import { RAIL_SOURCES } from '../configRules.ts'
import { RAIL_PORTS } from './ports.ts'

/** Which stores and servers are ours to start. Somebody else's are used where the environment names them. */
export type Own = {
  redis: boolean
  ledger: boolean
  clickhouse: boolean
  chain: boolean
  rails: boolean //  every other chain and the exchanges, all of them or none
  venues: boolean
  dns: boolean
  cardpay: boolean
}

export function ownParts(config: Config, given: ReadonlySet<keyof Environment>): Own {
  const venueKeys = ['VENUE_A_CATALOG_URL', 'VENUE_A_BOOK_URL', 'VENUE_B_URL'] as const
  return {
    redis: !given.has('REDIS_URL'),
    ledger: !given.has('LEDGER_REDIS_URL'),
    clickhouse: !given.has('CLICKHOUSE_URL'),
    chain: config.MODE === 'sandbox' && !given.has('BASE_RPC_URL'),
    rails: config.MODE === 'sandbox' && !RAIL_SOURCES.some((key) => given.has(key)),
    venues: config.VENUES !== 'live' && !venueKeys.every((key) => given.has(key)),
    dns: config.MODE === 'sandbox' && !given.has('DNS_RESOLVERS'),
    cardpay: config.MODE === 'sandbox' && !given.has('STRIPE_SECRET_KEY_FILE'),
  }
}

/** Keys of `choosePorts` that this set of parts needs. */
export function usedPorts(own: Own): ReadonlySet<string> {
  const keys: [string, boolean][] = [
    ['PORT', true],
    ['CLICKHOUSE_PORT', own.clickhouse],
    ['CHAIN_PORT', own.chain],
    ...RAIL_PORTS.map((key): [string, boolean] => [key, own.rails]),
    ['VENUE_A_PORT', own.venues],
    ['VENUE_B_PORT', own.venues],
    ['DNS_PORT', own.dns],
    ['CARDPAY_PORT', own.cardpay],
    ['REDIS_PORT', own.redis],
    ['LEDGER_REDIS_PORT', own.ledger],
  ]
  return new Set(keys.filter(([, used]) => used).map(([key]) => key))
}
