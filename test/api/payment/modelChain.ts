import type { Hex } from 'viem'
import type { ChainView, Inflow, PaymentChain, UsedAuthorization } from '../../../api/settlement/port.ts'
import { UnavailableError } from '../../../ops/errors.ts'

const BLOCK_MS = 2_000

/** A chain with one authorization, used or cancelled when the test says so; every transfer is its use. */
export function createModelChain({
  payer,
  payTo,
  value,
  nonce,
  endMs,
  nowMs,
}: {
  payer: Hex
  payTo: Hex
  value: bigint
  nonce: Hex
  endMs: number
  nowMs(): number
}) {
  let head = 100n
  let forks = 0
  let use: { tx: Hex; block: bigint; blockMs: number } | 'cancelled' | null = null
  let waiting: Hex | null = null
  let isDown = false
  let lag = 0n
  let transactions = 0

  const newest = () => head - lag
  /** Its newest block is always new; those before the use are older than that. */
  const timeOf = (number: bigint): number => {
    const mined = use === null || use === 'cancelled' || number >= use.block ? null : use
    const { block, blockMs } = mined ?? { block: head, blockMs: nowMs() }
    return blockMs - Number(block - number) * BLOCK_MS
  }
  const blockOf = (number: bigint) => ({
    number,
    hash: `0x${(number * 1_000n + BigInt(forks)).toString(16).padStart(64, '0')}` as Hex,
    timeMs: timeOf(number),
  })
  const shown = (): UsedAuthorization | null =>
    use === null || use === 'cancelled' || use.block > newest()
      ? null
      : {
          kind: 'used',
          to: payTo,
          value,
          tx: use.tx,
          logIndex: 0,
          blockIndex: 0,
          blockNumber: use.block,
          blockMs: use.blockMs,
        }
  const answer = async <Value>(value: Value): Promise<Value> => {
    if (isDown) throw new UnavailableError('chain_unavailable', 'the test has cut it off')
    return value
  }
  const inflows = (from: bigint, until: bigint): Inflow[] => {
    const found = shown()
    return found !== null && found.blockNumber >= from && found.blockNumber <= until
      ? [{ ...found, from: payer, blockIndex: 0 }]
      : []
  }
  const mineUse = (tx: Hex) => {
    head++
    if (use === null && nowMs() < endMs) use = { tx, block: head, blockMs: nowMs() }
  }

  const chain: PaymentChain & ChainView = {
    refuse: () => answer(use === 'cancelled' || shown() !== null ? 'nonce_used' : null),
    isSigned: () => answer(true),
    isSignedByWallet: () => answer(false),
    fate: () =>
      answer(
        use === 'cancelled'
          ? { kind: 'cancelled' as const, tx: `0x${'cc'.repeat(32)}` as Hex }
          : (shown() ?? {
              kind: 'unused' as const,
              blockNumber: newest(),
              blockMs: blockOf(newest()).timeMs,
            }),
      ),
    isUsed: () => answer(use === 'cancelled' || shown() !== null),
    fateIn: (_asset, _from, _nonce, tx) => answer(shown()?.tx === tx ? shown() : null),
    transfers: (_asset, tx) => {
      const found = shown()
      return answer(
        found?.tx === tx ? [{ ...found, from: payer, byAuthorization: true, blockIndex: 0 }] : null,
      )
    },
    head: (which) => answer(blockOf(which === 'latest' ? newest() : newest() - 64n)),
    blockAt: (number) => answer(number > newest() ? null : blockOf(number)),
    inflows: (_asset, _to, from, until) => answer(inflows(from, until)),
    arrivals: (_asset, _receivers, from, until) => answer({ until, inflows: inflows(from, until) }),
    authorizationOf: () => answer({ from: payer, nonce }),
  }

  return {
    chain,
    /** A transaction that uses it; `mineUse` or `mine` puts it into a block. */
    newTx: (): Hex => `0x${(++transactions).toString(16).padStart(64, 'a')}`,
    mineUse,
    /** It waits at the node for `mine`. */
    send(tx: Hex): void {
      waiting = tx
    },
    mine(): void {
      if (waiting === null) head++
      else mineUse(waiting)
      waiting = null
    },
    /** Its use leaves the chain; it waits at the node again, unless it is dropped. */
    reorganise({ dropped = false } = {}): void {
      forks++
      head++
      if (use === null || use === 'cancelled') return
      waiting = dropped ? null : use.tx
      use = null
    },
    cancel(): void {
      head++
      use ??= 'cancelled'
    },
    grow(blocks: bigint): void {
      head += blocks
    },
    setDown(is: boolean): void {
      isDown = is
    },
    setLag(blocks: bigint): void {
      lag = blocks
    },
    /** The transaction that used it; null: none has. */
    usedBy: (): Hex | null => (use === null || use === 'cancelled' ? null : use.tx),
  }
}
