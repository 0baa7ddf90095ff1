import type { Log } from '../../ops/log.ts'
import { type BlockHead, latestBlock } from './nodeReads.ts'
import { nextNonce } from './nonces.ts'
import type { Rpc } from './rpc.ts'
import type { Wallet } from './wallet.ts'

const MAX_GHOSTS = 64 //  more than any former process leaves: the node may claim any number
/** Ghosts get this long to land before we replace them. */
const GHOST_BLOCKS = 3n

/** Where the account is, by the newest block: how many of its transactions are mined, and which nonces are taken. */
export function createAccount({
  rpc,
  wallet,
  log,
}: {
  rpc: Rpc
  wallet: Pick<Wallet, 'minedCount' | 'waitingCount'>
  log: Log
}) {
  /** Nonces of a former process's transactions that wait at the node. */
  const ghosts = new Set<number>()
  let ghostsUntilBlock = 0n
  let mined = 0
  let head: BlockHead | null = null

  return {
    /** The first look, which sees what a former process left. */
    async adopt(): Promise<void> {
      const [block, minedCount, waiting] = await Promise.all([
        latestBlock(rpc),
        wallet.minedCount(),
        wallet.waitingCount(),
      ])
      head = block
      mined = minedCount
      ghostsUntilBlock = block.number + GHOST_BLOCKS
      for (let ahead = 0; ahead < Math.min(waiting - minedCount, MAX_GHOSTS); ahead++)
        ghosts.add(minedCount + ahead)
      if (ghosts.size > 0) log.warn({ waiting: ghosts.size }, 'an earlier life left transactions under way')
    },
    async refresh(): Promise<void> {
      const [block, minedCount] = await Promise.all([latestBlock(rpc), wallet.minedCount()])
      head = block
      mined = minedCount
      for (const nonce of ghosts) if (nonce < mined || block.number > ghostsUntilBlock) ghosts.delete(nonce)
    },
    isAdopted: (): boolean => head !== null,
    /** The newest block's number; only once adopted. */
    block: (): bigint => head!.number,
    baseFee: (): bigint => head?.baseFee ?? 0n,
    mined: (): number => mined,
    hasGhosts: (): boolean => ghosts.size > 0,
    /** @param ours nonces of our transactions under way. */
    nextNonce: (ours: readonly number[]): number => nextNonce(mined, new Set([...ghosts, ...ours])),
  }
}
