import { join } from 'node:path'
import type { Facts } from './environments.ts'
import { LOOPBACK, type PlanInput, redisListen } from './facts.ts'
import type { Part, Said } from './part.ts'
import type { NodePart } from './plan.ts'
import { redisPart } from './redisPart.ts'

/**
 * The stores, chains and servers that are ours to start. What only they know they add to `facts` once they are ready.
 */
export function sandboxParts(input: PlanInput, facts: Facts, node: NodePart): Part[] {
  const { own, dataDir } = input
  const listen = redisListen(dataDir, input.ports)
  const kept = (folder: string): Facts => ({ HOST: LOOPBACK, DATA_DIR: join(dataDir, folder) })
  const parts: Part[] = []
  if (own.redis)
    parts.push(
      redisPart({
        role: 'redis',
        label: 'redis',
        dir: join(dataDir, 'redis'),
        listen: listen.redis,
        appendfsync: 'everysec',
        maxMiB: input.config.REDIS_MAX_MIB,
        system: input.system,
      }),
    )
  if (own.ledger)
    parts.push(
      redisPart({
        role: 'ledger',
        label: 'ledger redis',
        dir: join(dataDir, 'ledger'),
        listen: listen.ledger,
        appendfsync: 'always',
        maxMiB: input.config.LEDGER_MAX_MIB,
        system: input.system,
      }),
    )
  if (own.clickhouse)
    parts.push({
      ...node('clickhouse', { extra: kept('clickhouse'), standsBack: true }),
      withoutIt:
        'there is no history until it is, and selling goes on; the streams keep what it has not taken',
    })
  if (own.chain)
    parts.push({
      ...node('chain', { extra: kept('') }),
      learn: (said) => learnChain(said, input, facts),
    })
  if (own.rails)
    parts.push({
      ...node('rails', { needs: own.chain ? ['chain'] : [], extra: kept('') }),
      learn: (said) => learnRails(said, input, facts),
    })
  if (own.venues)
    parts.push({
      ...node('venues', { extra: kept('venues'), standsBack: true }),
      learn: (said) => learnVenues(said, input, facts),
    })
  if (own.dns) parts.push(node('dns', { extra: { HOST: LOOPBACK } }))
  if (own.cardpay) parts.push(node('cardpay', { extra: kept('') }))
  return parts
}

/** Takes from the chain's ready line who is paid, and who pays the gas. */
function learnChain(said: Said | null, { config }: PlanInput, facts: Facts): void {
  facts.RECEIVER_ADDRESS = config.RECEIVER_ADDRESS || text(said, 'receiver')
  if (config.SETTLEMENT === 'self' && config.SETTLER_KEY_FILE === '')
    facts.SETTLER_ADDRESS = text(said, 'settler')
}

/** Takes from the rails' ready line who is paid by the other rails. */
function learnRails(said: Said | null, { config }: PlanInput, facts: Facts): void {
  for (const [key, from] of RAIL_RECEIVERS) facts[key] = config[key] || text(said, from)
}

/** Takes from the venues' ready line where they listen. */
function learnVenues(said: Said | null, { given }: PlanInput, facts: Facts): void {
  for (const [key, from] of VENUE_URLS) if (!given.has(key)) facts[key] = text(said, from)
}

const RAIL_RECEIVERS = [
  ['ETHEREUM_RECEIVER', 'evmReceiver'],
  ['POLYGON_RECEIVER', 'evmReceiver'],
  ['ARBITRUM_RECEIVER', 'evmReceiver'],
  ['SOL_BASE_RECEIVER', 'evmReceiver'],
  ['SOLANA_RECEIVER', 'solanaReceiver'],
  ['SOLANA_ALTERNATE_RECEIVER', 'solanaAlternate'],
  ['BITCOIN_RECEIVER', 'bitcoinReceiver'],
] as const

const VENUE_URLS = [
  ['VENUE_A_CATALOG_URL', 'a'],
  ['VENUE_A_BOOK_URL', 'a'],
  ['VENUE_B_URL', 'b'],
] as const

/** @param key of the ready line. @throws when a part of ours says less than it should. */
function text(said: Said | null, key: string): string {
  const value = said?.[key]
  if (typeof value !== 'string') throw new Error(`the ready line lacks ${key}`)
  return value
}
