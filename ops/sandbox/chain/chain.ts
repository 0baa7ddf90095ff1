import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address } from 'viem'
import { tryPort } from '../../listen.ts'
import { type Accounts, generateAccounts, loadAccounts } from './accounts.ts'
import { MULTICALL3 } from './addresses.ts'
import { startAnvil } from './anvil.ts'
import { CACHE_DIR, type Contracts, loadContracts } from './compile.ts'
import { NETWORKS, type SandboxNetwork } from './networks.ts'
import { removeLoaded, saveState, unpackState } from './persistence.ts'
import { type ChainClients, connectChain, setUpChain } from './setup.ts'

export type ChainOptions = {
  host?: string
  port?: number //               0: a free one
  dataDir: string | null //      null: nothing is kept
  contractsDir?: string //       cache of compiled contracts; default: the user's temporary folder
  blockTimeS: number | 'auto' // 'auto': a block per transaction
  startS?: number //             Unix seconds of the first block; default: now
  buyers?: number
  network?: SandboxNetwork //    default: Base
  accounts?: Accounts //         of another chain, so that one key pays on all; default: of dataDir, or new
  history?: boolean //           state of old blocks, for tests that reorganise; not kept over a restart
}

export type Chain = {
  rpcUrl: string
  pid: number
  accounts: Accounts
  contracts: Contracts
  usdc: Address
  multicall3: Address
  clients: ChainClients
  resumed: boolean
  exited: Promise<string> //  anvil's last words
  /** Writes the newest state to dataDir. @returns bytes written; 0 when nothing is kept. */
  save(): Promise<number>
  /** Saves, then ends anvil; an ephemeral folder is removed. */
  stop(): Promise<void>
}

/** A local chain, Base by default: anvil with the token and Multicall3 at their real addresses and money in generated hands. */
export async function startChain(options: ChainOptions): Promise<Chain> {
  const { host = '127.0.0.1', dataDir, blockTimeS, startS, buyers = 5, history = false } = options
  const network = options.network ?? NETWORKS.base
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'microdata-chain-')))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const [contracts, accounts, loaded] = await Promise.all([
    loadContracts(options.contractsDir ?? CACHE_DIR),
    options.accounts ?? (dataDir === null ? generateAccounts(buyers) : loadAccounts(folder, buyers)),
    dataDir === null ? null : readSaved(folder),
  ])
  const { anvil, port } = await startOnPort(options.port || null, host, {
    chainId: network.chain.id,
    blockTimeS,
    startS,
    loadState: loaded,
    history,
    cachePath: join(folder, 'history'),
    boundPath: join(folder, 'bound.json'),
  })
  const rpcUrl = `http://${host}:${port}`
  const clients = connectChain(rpcUrl, network.chain)

  const save = async (): Promise<number> =>
    dataDir === null ? 0 : saveState(folder, await clients.node.dumpState())
  const end = async (): Promise<void> => {
    await anvil.stop()
    if (dataDir === null) await rm(folder, { recursive: true, force: true })
  }
  try {
    await removeLoaded(loaded)
    await setUpChain(clients, contracts, accounts, network)
    await save()
  } catch (error) {
    await end()
    throw error
  }
  let stopped: Promise<void> | null = null
  return {
    rpcUrl,
    accounts,
    contracts,
    clients,
    save,
    pid: anvil.pid,
    usdc: network.tokens[0]!.address,
    multicall3: MULTICALL3,
    resumed: loaded !== null,
    exited: anvil.exited,
    stop() {
      stopped ??= save()
        .catch(() => 0) //  anvil is gone already: the earlier save remains
        .then(end)
      return stopped
    },
  }
}

async function readSaved(folder: string): Promise<string | null> {
  try {
    return await unpackState(folder)
  } catch (cause) {
    throw new Error(`the saved chain in ${folder} cannot be read; remove that folder to begin a new chain`, {
      cause,
    })
  }
}

const TRIES = 3

/**
 * @param given null: a free one. A free port is not reserved: if another process takes it meanwhile, another is
 *   chosen.
 */
async function startOnPort(
  given: number | null,
  host: string,
  options: Omit<Parameters<typeof startAnvil>[0], 'host' | 'port'>,
) {
  for (let tries = 1; ; tries++) {
    const port = given ?? (await tryPort(host, 0))
    try {
      return { anvil: await startAnvil({ ...options, host, port }), port }
    } catch (error) {
      if (given !== null || tries === TRIES || !/address already in use/i.test(String(error))) throw error
    }
  }
}
