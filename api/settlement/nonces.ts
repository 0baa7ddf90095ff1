import type { Hex } from 'viem'

/**
 * The next account nonce: the smallest that is neither mined nor taken. A gap left by a dropped transaction is thus
 * filled first, since everything behind it waits for it.
 * @param mined the account's transaction count at the newest block.
 * @param taken nonces of our transactions under way, and of a former process's that we wait for.
 */
export function nextNonce(mined: number, taken: ReadonlySet<number>): number {
  let nonce = mined
  while (taken.has(nonce)) nonce++
  return nonce
}

/**
 * Which transaction spends which nonce, for those that this process has signed. Bound: the newest 20,000; an older one
 * counts as unknown, which only makes us more careful.
 */
export type NonceBook = {
  note(tx: Hex, nonce: number): void
  /** Proven: its nonce is mined, so this transaction is either mined itself or never will be. */
  isSpent(tx: Hex, mined: number): boolean
}

const BOUND = 20_000

export function createNonceBook(): NonceBook {
  const nonces = new Map<Hex, number>()
  return {
    note(tx, nonce) {
      nonces.set(tx, nonce)
      if (nonces.size > BOUND) nonces.delete(nonces.keys().next().value!)
    },
    isSpent(tx, mined) {
      const nonce = nonces.get(tx)
      return nonce !== undefined && nonce < mined
    },
  }
}
