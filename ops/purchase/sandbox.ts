import { z } from 'zod'
import { readSandboxFile, runningSandbox, SANDBOX_FILE } from '../sandboxFolder.ts'
import { PurchaseEnd } from './outcomes.ts'
import type { ClickhouseAccess } from './sale.ts'
import { accountOf, type Wallet } from './wallet.ts'

const Access = z.object({ url: z.url(), user: z.string(), password: z.string(), database: z.string() })

/** What the supervisor writes into DATA_DIR, as far as a buyer needs it. */
const SandboxFile = z.looseObject({
  url: z.url({ protocol: /^https?$/ }),
  chain: z.looseObject({ rpcUrl: z.url() }),
  journal: Access, // where sales arrive: the owner's
  buyers: z.array(z.looseObject({ privateKey: z.string() })), // empty: the chain is somebody else's
})

export type Sandbox = {
  dataDir: string
  url: string //         origin of the service
  rpcUrl: string
  journal: ClickhouseAccess // the owner's: where sales arrive
  wallet: Wallet | null // the first of the funded buyers
}

/**
 * The sandbox of a data folder, or the newest one below `worldsDir` that answers.
 * @param dataDir empty: look for one.
 * @throws PurchaseEnd `usage` that says how to start one.
 */
export async function findSandbox(dataDir: string, worldsDir: string): Promise<Sandbox> {
  if (dataDir !== '') {
    const sandbox = await readSandbox(dataDir)
    if (sandbox === null)
      throw new PurchaseEnd('usage', `${dataDir}: there is no ${SANDBOX_FILE} that can be read`)
    return sandbox
  }
  const running = await runningSandbox(worldsDir)
  const sandbox = running === null ? null : await readSandbox(running)
  if (sandbox !== null) return sandbox
  throw new PurchaseEnd(
    'usage',
    'no sandbox is running here. Start one with ./ops/start, name its folder with --data-dir, or buy elsewhere with --base and --key-file',
  )
}

/** null: there is none, or it is not readable as one. */
export async function readSandbox(dataDir: string): Promise<Sandbox | null> {
  const file = await readSandboxFile(dataDir, SandboxFile)
  if (file === null) return null
  const account = accountOf(file.buyers[0]?.privateKey ?? '')
  return {
    dataDir,
    url: new URL(file.url).origin,
    rpcUrl: file.chain.rpcUrl,
    journal: file.journal,
    wallet: account === null ? null : { account, name: 'test buyer of the sandbox' },
  }
}
