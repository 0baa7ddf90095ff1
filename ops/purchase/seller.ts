import { WORLDS } from '../sandboxFolder.ts'
import type { Arguments } from './arguments.ts'
import { type Home, homeOf } from './kept/home.ts'
import { PurchaseEnd } from './outcomes.ts'
import type { ClickhouseAccess } from './sale.ts'
import { findSandbox, type Sandbox } from './sandbox.ts'
import { type Wallet, walletOfFile } from './wallet.ts'

/** The service that is bought from, and what else is known about it. */
export type Seller = {
  base: string //                            origin
  sandbox: Sandbox | null //                 when it is the one that runs here
  home: Home
  rpcUrl: string | null
  journal: ClickhouseAccess | null //        where its sales can be seen
}

type Asked = Pick<Arguments, 'base' | 'dataDir' | 'rpc'>

/**
 * The sandbox that runs here, or the seller at `origin` or --base. The sandbox is looked for only when it is needed.
 * @throws PurchaseEnd `usage` when neither is there.
 */
export async function findSeller(args: Asked, configured: string, origin = args.base): Promise<Seller> {
  const dataDir = args.dataDir || configured
  const sandbox = origin === '' ? await findSandbox(dataDir, WORLDS) : await sandboxAt(origin, dataDir)
  return {
    base: origin || sandbox!.url,
    sandbox,
    home: homeOf(sandbox?.dataDir ?? (dataDir || WORLDS)),
    rpcUrl: args.rpc || sandbox?.rpcUrl || null,
    journal: sandbox?.journal ?? null,
  }
}

/** Where things are kept, for commands that need no running service. */
export async function findHome(args: Asked, configured: string): Promise<Home> {
  const dataDir = args.dataDir || configured
  if (args.base !== '') return (await findSeller(args, configured)).home
  if (dataDir !== '') return homeOf(dataDir)
  return homeOf((await findSandbox('', WORLDS).catch(() => null))?.dataDir ?? WORLDS)
}

/** @throws PurchaseEnd `usage` */
export async function findWallet(keyFile: string, { base, sandbox }: Seller): Promise<Wallet> {
  if (keyFile !== '') return await walletOfFile(keyFile)
  if (sandbox?.wallet) return sandbox.wallet
  const why = sandbox === null ? `${base} is not the sandbox that runs here` : 'this sandbox has no buyers'
  throw new PurchaseEnd('usage', `${why}; pay with --key-file FILE`)
}

/** The sandbox here, if it is the one that sells at this origin. */
async function sandboxAt(origin: string, dataDir: string): Promise<Sandbox | null> {
  const sandbox = await findSandbox(dataDir, WORLDS).catch(() => null)
  return sandbox?.url === origin ? sandbox : null
}
