import type { Config, Environment } from '../config.ts'

type Key = keyof Environment
export type Role =
  | 'ingest'
  | 'engine'
  | 'api'
  | 'worker'
  | 'clickhouse'
  | 'chain'
  | 'rails'
  | 'venues'
  | 'dns'
  | 'cardpay'

const EVERYBODY: readonly Key[] = ['MODE', 'LOG_LEVEL', 'HOST']
const MARKETS: readonly Key[] = [
  'MARKET_CLOCK',
  'RECORDED',
  'VENUES',
  'MARKET_MAX_AGE_MS',
  'VENUE_FROZEN_AFTER_MS',
]
const CLICKHOUSE: readonly Key[] = [
  'CLICKHOUSE_URL',
  'CLICKHOUSE_USER',
  'CLICKHOUSE_PASSWORD',
  'CLICKHOUSE_DATABASE',
]
const PAYMENTS: readonly Key[] = [
  'LEDGER_REDIS_URL',
  'CHAIN_ID',
  'BASE_RPC_URL',
  'USDC_ADDRESS',
  'RECEIVER_ADDRESS',
  'SETTLEMENT',
  'SETTLER_ADDRESS',
  'FACILITATOR_URL',
  'FACILITATORS_FILE',
  'FACILITATOR_AUTH_FILE',
  'EIP6492_FACTORIES',
  'RECEIPT_KEY_FILE',
  'RECEIPT_PUBLIC_KEYS_FILE',
  'SERVICE_SECRET_FILE',
  'PUBLIC_URL',
  'PAYMENT_TIMEOUT_S',
  'SETTLE_WAIT_MS',
  'FINALITY',
  'FINAL_BLOCKS',
  'ANSWER_TTL_MS',
  'FAULT_POINT',
]
const RAILS: readonly Key[] = [
  'ETHEREUM_RPC_URL',
  'ETHEREUM_RECEIVER',
  'POLYGON_RPC_URL',
  'POLYGON_RECEIVER',
  'ARBITRUM_RPC_URL',
  'ARBITRUM_RECEIVER',
  'SOLANA_RPC_URL',
  'SOLANA_RECEIVER',
  'SOLANA_ALTERNATE_RECEIVER',
  'SOL_BASE_RECEIVER',
  'SOL_BASE_TOKEN',
  'BITCOIN_API_URL',
  'BITCOIN_RECEIVER',
  'PRICE_A_URL',
  'PRICE_B_URL',
]

/**
 * The settings each role is given. A role sees nothing else of our environment, so that only the worker knows the key
 * with the gas, and only those that sign know the signing keys. A test compares this with what each role reads.
 */
export const ROLE_KEYS: Record<Role, readonly Key[]> = {
  ingest: [
    ...EVERYBODY,
    ...MARKETS,
    ...CLICKHOUSE,
    'OPERATOR_PORT',
    'REDIS_URL',
    'QUOTE_STREAM_MAX_BATCHES',
    'QUOTE_STREAM_MAX_MIB',
    'VENUE_A_CATALOG_URL',
    'VENUE_A_BOOK_URL',
    'VENUE_B_URL',
    'POLL_EVERY_MS',
    'VENUE_TIMEOUT_MS',
    'VENUE_PAGE_MAX_BYTES',
    'CLICKHOUSE_ANALYST_PASSWORD',
    'FAULT_POINT',
  ],
  engine: [...EVERYBODY, ...MARKETS, ...CLICKHOUSE, 'OPERATOR_PORT', 'REDIS_URL', 'QUOTE_STREAM_MAX_BATCHES'],
  api: [
    ...EVERYBODY,
    ...MARKETS,
    ...PAYMENTS,
    ...RAILS,
    'OPERATOR_PORT',
    'REDIS_URL',
    'PORT',
    'FREE_RATE_PER_S',
    'TRUSTED_PROXIES',
    'MCP_ORIGINS',
    'DNS_RESOLVERS',
    'UTILITY_THREADS',
    'OPENING_SALE',
    'SECURITY_CONTACT',
    'OWNERSHIP_PROOFS',
    'STRIPE_SECRET_KEY_FILE',
    'STRIPE_WEBHOOK_SECRET_FILE',
    'STRIPE_API_URL',
  ],
  worker: [
    ...EVERYBODY,
    ...MARKETS,
    ...PAYMENTS,
    ...RAILS,
    ...CLICKHOUSE,
    'OPERATOR_PORT',
    'REDIS_URL',
    'SETTLER_KEY_FILE',
    'STRIPE_SECRET_KEY_FILE',
    'STRIPE_API_URL',
  ],
  clickhouse: [
    'LOG_LEVEL',
    'HOST',
    'DATA_DIR',
    'CLICKHOUSE_PORT',
    'CLICKHOUSE_DATABASE',
    'CLICKHOUSE_USER',
    'CLICKHOUSE_PASSWORD',
    'CLICKHOUSE_ANALYST_PASSWORD',
  ],
  chain: ['LOG_LEVEL', 'HOST', 'DATA_DIR', 'CHAIN_PORT', 'CHAIN_BLOCK_TIME_S'],
  rails: [
    'LOG_LEVEL',
    'HOST',
    'DATA_DIR',
    'CHAIN_BLOCK_TIME_S',
    'ETHEREUM_PORT',
    'POLYGON_PORT',
    'ARBITRUM_PORT',
    'SOLANA_PORT',
    'BITCOIN_PORT',
    'PRICES_PORT',
  ],
  venues: [
    'LOG_LEVEL',
    'HOST',
    'DATA_DIR',
    'VENUES',
    'VENUES_SEED',
    'VENUES_SIZE',
    'VENUES_STEP_MS',
    'MARKET_CLOCK',
    'MARKET_SPEED',
    'RECORDED',
    'VENUE_A_PORT',
    'VENUE_B_PORT',
  ],
  dns: ['LOG_LEVEL', 'HOST', 'DNS_PORT'],
  cardpay: ['LOG_LEVEL', 'HOST', 'DATA_DIR', 'PORT', 'PUBLIC_URL', 'CARDPAY_PORT'],
}

/** Settings that only the supervisor reads: it derives other values from them. */
export const SUPERVISOR_KEYS: readonly Key[] = [
  'API_PROCESSES',
  'START_TIMEOUT_MS',
  'REDIS_PORT',
  'LEDGER_REDIS_PORT',
  'REDIS_MAX_MIB',
  'LEDGER_MAX_MIB',
]

/** Values that differ from the configuration: made by the sandbox, or different for one process. */
export type Facts = { [key in Key]?: string }

export function environmentOf(role: Role, config: Config, facts: Facts): Record<string, string> {
  return Object.fromEntries(ROLE_KEYS[role].map((key) => [key, facts[key] ?? String(config[key])]))
}
