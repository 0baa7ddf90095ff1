import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { nodesOf } from '../nodes.ts'
import { replaceFile } from '../replaceFile.ts'
import { SANDBOX_FILE } from '../sandboxFolder.ts'
import type { Facts } from './environments.ts'

const Accounts = z.looseObject({
  buyers: z.array(z.object({ address: z.string(), privateKey: z.string() })),
  settler: z.looseObject({ address: z.string() }),
})

/**
 * Everything a person, `./ops/buy` or a test needs to use this sandbox, in one file readable by its owner only.
 * Written when the stores and the chain are ready, since closed money is opened with it; the addresses and keys stay
 * the same over restarts, the ports need not.
 */
export async function writeSandboxFile({
  dataDir,
  world,
  config,
  facts,
  operator,
}: {
  dataDir: string
  world: string
  config: Config
  facts: Facts
  operator: Record<string, string> // role → origin of /readyz and /metrics
}): Promise<string> {
  const accounts = await readFile(join(dataDir, 'chain', 'accounts.json'), 'utf8').then(
    (text) => Accounts.parse(JSON.parse(text)),
    () => null, //  the chain is somebody else's
  )
  const value = (key: keyof Facts & keyof Config): string => facts[key] ?? String(config[key])
  const node = (key: Parameters<typeof value>[0]): string => nodesOf(value(key))[0]! //  buyers ask one
  const content = {
    mode: config.MODE,
    world,
    pid: process.pid,
    startedAt: new Date().toISOString(),
    dataDir,
    url: new URL(value('PUBLIC_URL')).origin,
    operator,
    recorded: value('RECORDED') === '1',
    marketClock: value('MARKET_CLOCK') || null,
    chain: {
      chainId: config.CHAIN_ID,
      rpcUrl: node('BASE_RPC_URL'),
      usdc: config.USDC_ADDRESS,
      receiver: value('RECEIVER_ADDRESS'),
      settler: accounts?.settler.address ?? null,
    },
    rails: {
      ethereum: { chainId: 1, rpcUrl: node('ETHEREUM_RPC_URL'), receiver: value('ETHEREUM_RECEIVER') },
      polygon: { chainId: 137, rpcUrl: node('POLYGON_RPC_URL'), receiver: value('POLYGON_RECEIVER') },
      arbitrum: { chainId: 42_161, rpcUrl: node('ARBITRUM_RPC_URL'), receiver: value('ARBITRUM_RECEIVER') },
      solana: {
        rpcUrl: value('SOLANA_RPC_URL'),
        receiver: value('SOLANA_RECEIVER'),
        alternateReceiver: value('SOLANA_ALTERNATE_RECEIVER'),
      },
      bitcoin: { url: value('BITCOIN_API_URL'), receiver: value('BITCOIN_RECEIVER') },
      prices: { a: value('PRICE_A_URL'), b: value('PRICE_B_URL') },
    },
    buyers: accounts?.buyers ?? [],
    clickhouse: {
      url: value('CLICKHOUSE_URL'),
      database: config.CLICKHOUSE_DATABASE,
      user: 'analyst',
      password: value('CLICKHOUSE_ANALYST_PASSWORD'),
    },
    //  the owner's access: an analyst does not see single sales
    journal: {
      url: value('CLICKHOUSE_URL'),
      database: config.CLICKHOUSE_DATABASE,
      user: config.CLICKHOUSE_USER,
      password: value('CLICKHOUSE_PASSWORD'),
    },
    redis: { pipeline: value('REDIS_URL'), ledger: value('LEDGER_REDIS_URL') },
    venues: {
      aCatalog: value('VENUE_A_CATALOG_URL'),
      aBook: value('VENUE_A_BOOK_URL'),
      b: value('VENUE_B_URL'),
    },
    dns: value('DNS_RESOLVERS'),
    cardpay: value('STRIPE_API_URL'),
    receiptKeyFile: value('RECEIPT_KEY_FILE'),
    logs: join(dataDir, 'logs'),
  }
  const file = join(dataDir, SANDBOX_FILE)
  await replaceFile(file, `${JSON.stringify(content, null, 2)}\n`)
  return file
}
