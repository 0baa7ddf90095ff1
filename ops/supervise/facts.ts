import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MarketClockAnchor } from '../clock.ts'
import type { Config, Environment } from '../config.ts'
import { inUrl } from '../listen.ts'
import { cardFiles } from '../sandbox/cardpay/keep.ts'
import type { Facts } from './environments.ts'
import type { Own } from './own.ts'
import { type Ports, RAIL_PORTS } from './ports.ts'
import { redisUrl } from './redisPart.ts'
import type { Secrets } from './secretFiles.ts'
import type { World } from './world.ts'

/** Our own stores and servers are for this machine only, wherever the api listens. */
export const LOOPBACK = '127.0.0.1'

export type PlanInput = {
  config: Config
  given: ReadonlySet<keyof Environment>
  system: Record<string, string>
  own: Own
  world: World
  anchor: MarketClockAnchor | null
  dataDir: string //  absolute
  secrets: Secrets
  ports: Ports
}

/** What is known before anything runs: addresses, secrets, the market clock. */
export function firstFacts({ config, given, own, world, anchor, dataDir, secrets, ports }: PlanInput): Facts {
  const facts: Facts = {
    PORT: String(ports.PORT),
    PUBLIC_URL: config.PUBLIC_URL || `http://${inUrl(config.HOST)}:${ports.PORT}`,
    RECEIPT_KEY_FILE: config.RECEIPT_KEY_FILE || secrets.receiptKeyFile,
    SERVICE_SECRET_FILE: config.SERVICE_SECRET_FILE || secrets.serviceSecretFile,
    CLICKHOUSE_ANALYST_PASSWORD: config.CLICKHOUSE_ANALYST_PASSWORD || secrets.analystPassword,
    MARKET_CLOCK:
      config.MARKET_CLOCK || (anchor ? `${anchor.marketMs}:${anchor.realMs}:${anchor.speed}` : ''),
  }
  const listen = redisListen(dataDir, ports)
  if (own.redis) facts.REDIS_URL = redisUrl(listen.redis)
  if (own.ledger) facts.LEDGER_REDIS_URL = redisUrl(listen.ledger)
  if (own.clickhouse) {
    facts.CLICKHOUSE_PORT = String(ports.CLICKHOUSE_PORT)
    facts.CLICKHOUSE_URL = `http://${LOOPBACK}:${ports.CLICKHOUSE_PORT}`
    facts.CLICKHOUSE_PASSWORD = config.CLICKHOUSE_PASSWORD || secrets.clickhousePassword
  }
  if (own.chain) {
    facts.CHAIN_PORT = String(ports.CHAIN_PORT)
    facts.BASE_RPC_URL = `http://${LOOPBACK}:${ports.CHAIN_PORT}`
    //  where blocks come only with transactions, a payment may never get any deeper
    if (config.CHAIN_BLOCK_TIME_S === 'auto' && !given.has('FINALITY')) facts.FINALITY = ''
    if (config.SETTLEMENT === 'self')
      facts.SETTLER_KEY_FILE = config.SETTLER_KEY_FILE || join(dataDir, 'chain', 'settler.key')
  }
  if (own.rails) {
    for (const key of RAIL_PORTS) facts[key] = String(ports[key])
    facts.ETHEREUM_RPC_URL = `http://${LOOPBACK}:${ports.ETHEREUM_PORT}`
    facts.POLYGON_RPC_URL = `http://${LOOPBACK}:${ports.POLYGON_PORT}`
    facts.ARBITRUM_RPC_URL = `http://${LOOPBACK}:${ports.ARBITRUM_PORT}`
    facts.SOLANA_RPC_URL = `http://${LOOPBACK}:${ports.SOLANA_PORT}`
    facts.BITCOIN_API_URL = `http://${LOOPBACK}:${ports.BITCOIN_PORT}`
    facts.PRICE_A_URL = `http://${LOOPBACK}:${ports.PRICES_PORT}/a`
    facts.PRICE_B_URL = `http://${LOOPBACK}:${ports.PRICES_PORT}/b`
  }
  if (own.venues) {
    facts.VENUE_A_PORT = String(ports.VENUE_A_PORT)
    facts.VENUE_B_PORT = String(ports.VENUE_B_PORT)
  }
  if (own.cardpay) {
    const files = cardFiles(dataDir)
    facts.CARDPAY_PORT = String(ports.CARDPAY_PORT)
    facts.STRIPE_API_URL = `http://${LOOPBACK}:${ports.CARDPAY_PORT}`
    facts.STRIPE_SECRET_KEY_FILE = files.secretKey
    facts.STRIPE_WEBHOOK_SECRET_FILE = files.webhookSecret
  }
  if (own.dns) {
    facts.DNS_PORT = String(ports.DNS_PORT)
    facts.DNS_RESOLVERS = `${LOOPBACK}:${ports.DNS_PORT}`
  }
  if (world.recording !== null) {
    facts.VENUES = world.recording.folder
    facts.RECORDED = '1'
    //  frames are hours apart: unchanged content is due to the recording, not to a broken venue
    if (!given.has('VENUE_FROZEN_AFTER_MS')) facts.VENUE_FROZEN_AFTER_MS = '0'
    //  polling is paced by real time, age is counted in market time, which may run faster
    if (!given.has('MARKET_MAX_AGE_MS') && config.MARKET_SPEED > 1)
      facts.MARKET_MAX_AGE_MS = String(
        Math.min(Math.ceil(config.MARKET_MAX_AGE_MS * config.MARKET_SPEED), 1e9),
      )
  }
  return facts
}

/** A unix socket's path has room for about a hundred bytes; a deep data folder gets one in the temporary folder. */
const LONGEST_SOCKET_PATH = 100

export function redisListen(dataDir: string, ports: Ports) {
  const deep = Buffer.byteLength(`${dataDir}/ledger.sock`) > LONGEST_SOCKET_PATH
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const prefix = deep ? join(tmpdir(), `microdata-${digest}-`) : `${dataDir}/`
  const at = (port: number | null, name: string) =>
    port === null ? { socket: `${prefix}${name}.sock` } : { port, host: LOOPBACK }
  return { redis: at(ports.REDIS_PORT, 'redis'), ledger: at(ports.LEDGER_REDIS_PORT, 'ledger') }
}
