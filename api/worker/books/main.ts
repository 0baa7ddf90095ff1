import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Redis } from 'ioredis'
import type { Address } from 'viem'
import { z } from 'zod'
import { ConfigError, givenKeys, loadConfig } from '../../../ops/config.ts'
import { describeError } from '../../../ops/errors.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { runningSandbox, SANDBOX_FILE } from '../../../ops/sandboxFolder.ts'
import { renewEpoch } from '../../ledger/fence.ts'
import { createIntentLedger } from '../../ledger/intents.ts'
import { createRedisLedger } from '../../ledger/redis.ts'
import { createPaymentChain } from '../../settlement/chain.ts'
import { bookUnknown } from './bookUnknown.ts'
import { type Books, joinBooks } from './joinBooks.ts'
import { createLedgerView } from './ledgerView.ts'
import { type BooksOrder, RefusedOrder, readOrder, USAGE } from './order.ts'
import { booksJson, renderBooks } from './render.ts'

/** `ops/reconcile`: see USAGE. */
const WORLDS = join(dirname(fileURLToPath(import.meta.url)), '../../../.data')
const DAY_OF_BLOCKS = 43_200n

type Source = {
  ledgerUrl: string
  witnessUrl: string
  rpcUrl: string
  chainId: number
  asset: Address
  receiver: string
}
const SandboxFile = z.looseObject({
  chain: z.looseObject({ rpcUrl: z.string(), chainId: z.number(), usdc: z.string(), receiver: z.string() }),
  redis: z.looseObject({ ledger: z.string(), pipeline: z.string() }),
})

try {
  const order = readOrder(process.argv.slice(2))
  if (order === null) process.stdout.write(USAGE)
  else process.exitCode = await run(order)
} catch (error) {
  const words =
    error instanceof RefusedOrder ? `${error.message}\nSee ops/reconcile --help` : describeError(error)
  process.stderr.write(`${words}\n`)
  process.exitCode = 2
}

/** @returns the exit code. */
async function run(order: BooksOrder): Promise<number> {
  const source = await sourceOf(order)
  const receivers = order.receivers.length > 0 ? order.receivers : [source.receiver.toLowerCase() as Address]
  if (receivers.includes('' as Address)) throw new RefusedOrder('RECEIVER_ADDRESS: is missing')
  const log = createLog('reconcile', 'error')
  const redis = connectRedis(source.ledgerUrl, { log, name: 'reconcile' })
  const news = connectRedis(source.ledgerUrl, { log, name: 'reconcile-news', blocking: true })
  const chain = createPaymentChain({ rpcUrl: source.rpcUrl, log, timeoutMs: 60_000 })
  try {
    const until = order.until ?? (await chain.head('latest')).number
    const from = order.from ?? (until > DAY_OF_BLOCKS ? until - DAY_OF_BLOCKS : 0n)
    const { chainId, asset } = source
    const ledger = createLedgerView({
      ...{ redis, chainId, intents: createIntentLedger(redis) },
      ledger: createRedisLedger(redis, news, { answerTtlMs: 1 }), //  nothing is written
    })
    const asked = { chainId, asset, receivers, from, until }
    const books = await joinBooks(asked, { chain, ledger, nowMs: Date.now() })
    process.stdout.write(order.json ? booksJson(books) : renderBooks(books))
    if (order.rebuild) await rebuild(books, redis, source.witnessUrl)
    return books.unexplained.length > 0 ? 1 : 0
  } finally {
    await chain.close()
    redis.disconnect()
    news.disconnect()
  }
}

/** Money is open again when this returns. */
async function rebuild(books: Books, redis: Redis, witnessUrl: string): Promise<void> {
  const booked = await bookUnknown(redis, books)
  const log = createLog('reconcile', 'error')
  const witness = connectRedis(witnessUrl, { log, name: 'reconcile-witness' })
  try {
    await renewEpoch(redis, witness)
  } finally {
    witness.disconnect()
  }
  process.stderr.write(`rebuilt: ${booked} ordinary transfers booked; money is open again\n`)
}

async function sourceOf({ dataDir }: BooksOrder): Promise<Source> {
  const config = loadConfig(process.env, 'script')
  if (givenKeys(process.env).has('LEDGER_REDIS_URL'))
    return {
      ...{
        ledgerUrl: config.LEDGER_REDIS_URL,
        witnessUrl: config.REDIS_URL,
        rpcUrl: config.BASE_RPC_URL,
        chainId: config.CHAIN_ID,
      },
      ...{ asset: config.USDC_ADDRESS.toLowerCase() as Address, receiver: config.RECEIVER_ADDRESS },
    }
  const folder = dataDir === '' ? await runningSandbox(WORLDS) : dataDir
  if (folder === null)
    throw new ConfigError(['LEDGER_REDIS_URL: is missing, and no sandbox is running here (./ops/start)'])
  const { chain, redis } = SandboxFile.parse(JSON.parse(await readFile(join(folder, SANDBOX_FILE), 'utf8')))
  return {
    ...{ ledgerUrl: redis.ledger, witnessUrl: redis.pipeline, rpcUrl: chain.rpcUrl, chainId: chain.chainId },
    ...{ asset: chain.usdc.toLowerCase() as Address, receiver: chain.receiver },
  }
}
