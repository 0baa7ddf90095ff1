import { join } from 'node:path'
import type { Address } from 'viem'
import { z } from 'zod'
import { RefusedOrder } from '../../../ops/commandLine.ts'
import { type Config, ConfigError, type Environment } from '../../../ops/config.ts'
import { readSandboxFile, SANDBOX_FILE, sandboxFolder } from '../../../ops/sandboxFolder.ts'
import type { BooksOrder } from './order.ts'
import { DEPOSIT, type TokenPlace, tokenPlaces } from './tokenPlaces.ts'

/** Where the ledger, its witness and the money are. */
export type Source = { ledgerUrl: string; witnessUrl: string; places: TokenPlace[] }

const Rail = z.looseObject({ rpcUrl: z.string(), receiver: z.string() }) // '': not in service
const SandboxFile = z.looseObject({
  chain: z.looseObject({ rpcUrl: z.string(), chainId: z.number(), usdc: z.string(), receiver: z.string() }),
  rails: z.looseObject({ ethereum: Rail, polygon: Rail, arbitrum: Rail }).optional(),
  redis: z.looseObject({ ledger: z.string(), pipeline: z.string() }),
})

/** As configured; where no ledger is given, that of the sandbox that runs here. */
export async function sourceOf(
  order: Pick<BooksOrder, 'action' | 'receivers' | 'dataDir'>,
  config: Config,
  given: ReadonlySet<keyof Environment>,
): Promise<Source> {
  const [receiver = ''] = order.receivers
  if (given.has('LEDGER_REDIS_URL')) {
    const opens = order.action === 'rebuild' || order.action === 'open'
    //  the default would pass for a witness that has seen nothing
    if (opens && !given.has('REDIS_URL'))
      throw new ConfigError([`REDIS_URL: is missing (--${order.action} renews the witness)`])
    const places = tokenPlaces({ ...config, RECEIVER_ADDRESS: config.RECEIVER_ADDRESS || receiver } as Config)
    return { ledgerUrl: config.LEDGER_REDIS_URL, witnessUrl: config.REDIS_URL, places }
  }
  const sandbox = await sandboxIn(await folderOf(order.dataDir, config))
  const { ledger: ledgerUrl, pipeline: witnessUrl } = sandbox.redis
  return { ledgerUrl, witnessUrl, places: tokenPlaces({ ...config, ...railsOf(sandbox) } as Config) }
}

/**
 * The configuration given to the sandbox's processes: all rails are its own, whatever this process's environment says.
 */
function railsOf({ chain, rails }: z.infer<typeof SandboxFile>): Partial<Config> {
  const none = { rpcUrl: '', receiver: '' }
  const { ethereum, polygon, arbitrum } = rails ?? { ethereum: none, polygon: none, arbitrum: none }
  const addresses = {
    BASE_RPC_URL: chain.rpcUrl,
    CHAIN_ID: chain.chainId,
    USDC_ADDRESS: chain.usdc,
    RECEIVER_ADDRESS: chain.receiver,
    ETHEREUM_RPC_URL: ethereum.rpcUrl,
    ETHEREUM_RECEIVER: ethereum.receiver,
    POLYGON_RPC_URL: polygon.rpcUrl,
    POLYGON_RECEIVER: polygon.receiver,
    ARBITRUM_RPC_URL: arbitrum.rpcUrl,
    ARBITRUM_RECEIVER: arbitrum.receiver,
    SOL_BASE_TOKEN: '', //  there is none on its chain
  }
  return addresses as Partial<Config>
}

/** Only the ledger's address, and the folder of its sandbox; null: it is not a sandbox's. */
export async function ledgerOf(
  dataDir: string,
  config: Config,
  given: ReadonlySet<keyof Environment>,
): Promise<{ url: string; folder: string | null }> {
  if (given.has('LEDGER_REDIS_URL')) return { url: config.LEDGER_REDIS_URL, folder: null }
  const folder = await folderOf(dataDir, config)
  return { url: (await sandboxIn(folder)).redis.ledger, folder }
}

async function folderOf(dataDir: string, { DATA_DIR }: Config): Promise<string> {
  const folder = await sandboxFolder(dataDir, DATA_DIR)
  if (folder === null)
    throw new ConfigError(['LEDGER_REDIS_URL: is missing, and no sandbox is running here (./ops/start)'])
  return folder
}

async function sandboxIn(folder: string): Promise<z.infer<typeof SandboxFile>> {
  const sandbox = await readSandboxFile(folder, SandboxFile)
  if (sandbox === null)
    throw new ConfigError([
      `${join(folder, SANDBOX_FILE)}: is missing, or cannot be read (./ops/start writes it)`,
    ])
  return sandbox
}

/** The places that were asked about, with the receivers asked for. */
export function placesAsked(
  { action, rail, receivers }: BooksOrder,
  places: readonly TokenPlace[],
): TokenPlace[] {
  const one = places.find((place) => place.rail === (rail ?? 'usdc_base'))
  if (one === undefined)
    throw new RefusedOrder(
      rail === null
        ? 'RECEIVER_ADDRESS: is missing'
        : `--rail ${rail}: its ${rail === DEPOSIT ? 'address or its token' : 'server or its receiver'} is missing`,
    )
  const asked = receivers.length > 0 ? { ...one, receivers: receivers as Address[] } : one
  //  what arrives at a deposit address buys nothing, so that nothing of it is booked for a ledger that lost its rows
  const others = places.filter(({ rail }) => action === 'rebuild' && rail !== one.rail && rail !== DEPOSIT)
  return [asked, ...others]
}
