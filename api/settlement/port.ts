import type { Address, Hex } from 'viem'

/** The signed EIP-3009 transfer, canonical: addresses and hex lower-case, amounts atomic, times Unix seconds. */
export type Authorization = {
  from: Address
  to: Address
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex //  32 bytes
}

/**
 * A payment whose shape and terms are already checked.
 * `ecdsa`: 65 bytes, low s, v 27 or 28, recovered to `from` by us. `contract`: any other signature, which a
 * deployed wallet must confirm (EIP-1271). `undeployed`: ERC-6492 wrapper of an allow-listed factory.
 */
export type Payment = {
  chainId: number
  asset: Address
  authorization: Authorization
  signature: Hex
  signer: 'ecdsa' | 'contract' | 'undeployed'
}

/** Why the chain refuses a payment as things are: a closed set, safe to show. */
export type ChainRefusal =
  | 'insufficient_funds'
  | 'bad_signature'
  | 'nonce_used'
  | 'expired'
  | 'not_yet_valid'
  | 'blocked_party'
  | 'token_paused'
  | 'wallet_not_supported'
  | 'transfer_failed'

/** Where a settlement stands on chain. */
export type Settled = {
  tx: Hex
  logIndex: number //    of the token's Transfer among the logs of its transaction
  blockIndex?: number // the same within its block: rows of the registry were once named by it
  blockNumber: bigint
  blockMs: number //  the block's timestamp, Unix ms
}

/** It moved money, maybe not to us: the caller compares. */
export type UsedAuthorization = { kind: 'used'; to: Address; value: bigint } & Settled

/**
 * What became of one (from, nonce) at the newest block. `earlier`: it is used, but the logs since two hours before the
 * time asked about, read without a gap from a node that has had them for two minutes, hold no use of it.
 */
export type AuthorizationFate =
  | { kind: 'unused'; blockNumber: bigint; blockMs: number }
  | UsedAuthorization
  | { kind: 'cancelled'; tx: Hex }
  | { kind: 'earlier'; blockNumber: bigint; blockMs: number }

/** One Transfer of the token inside a mined, successful transaction. */
export type TokenTransfer = {
  from: Address
  to: Address
  value: bigint
  byAuthorization: boolean
} & Settled & {
    blockIndex: number
  }

/**
 * Reads of the payment chain. Every method throws UnavailableError('chain_unavailable') when the node does not answer.
 */
export type PaymentChain = {
  /** Simulates the transfer now; calls of one turn share one eth_call. null: it would succeed. */
  refuse(payment: Payment): Promise<ChainRefusal | null>
  /** Whether the payer signed exactly these terms: by key, or by the wallet's word (EIP-1271). Ignores the nonce. */
  isSigned(payment: Payment): Promise<boolean>
  /** Whether the wallet with code at this address says that it signed a text (EIP-191 by EIP-1271). */
  isSignedByWallet(wallet: Address, text: string, signature: Hex): Promise<boolean>
  /**
   * @param sinceMs the authorization cannot have been used before this real time.
   * @param maxBytes as in `transfers`: the holder of the nonce chooses the transaction.
   */
  fate(
    asset: Address,
    from: Address,
    nonce: Hex,
    sinceMs: number,
    maxBytes?: number,
  ): Promise<AuthorizationFate>
  /** Whether it is used or cancelled at the newest block; not when, or whom it paid. */
  isUsed(asset: Address, from: Address, nonce: Hex): Promise<boolean>
  /** What one transaction shows of it, in two calls. null: not in a sealed block, failed, or no such use in it. */
  fateIn(asset: Address, from: Address, nonce: Hex, tx: Hex): Promise<UsedAuthorization | null>
  /**
   * null: unknown or still pending. 'reverted': mined without effect.
   * @param maxBytes bound on the node's answer; a longer one counts as none. For a transaction that anybody may have
   *   named.
   */
  transfers(asset: Address, tx: Hex, maxBytes?: number): Promise<TokenTransfer[] | 'reverted' | null>
}

export type ChainHead = { number: bigint; hash: Hex; timeMs: number }

/** One Transfer of the token to a receiver of ours, where it stands now. */
export type Inflow = Pick<Settled, 'tx' | 'logIndex' | 'blockNumber'> & {
  blockIndex: number
  from: Address
  value: bigint
}

/** What watching the chain itself needs, beside single payments. Throws as PaymentChain does. */
export type ChainView = {
  head(which: 'latest' | 'finalized'): Promise<ChainHead>
  /** The block with this number now; null: there is none. */
  blockAt(number: bigint): Promise<ChainHead | null>
  /**
   * Every transfer to `to` in these blocks, both included, in order. Throws when a part of the range is not answered.
   */
  inflows(asset: Address, to: Address, from: bigint, until: bigint): Promise<Inflow[]>
  /**
   * Like inflows, to any of these receivers. Of a range with many, only the first ones, complete up to the returned
   * block, so that a walk never holds more than a part.
   */
  arrivals(
    asset: Address,
    receivers: readonly Address[],
    from: bigint,
    until: bigint,
  ): Promise<{ until: bigint; inflows: Inflow[] }>
  /**
   * The authorization that made this transfer; null: it was an ordinary one. Throws when the transaction is missing.
   */
  authorizationOf(asset: Address, tx: Hex, logIndex: number): Promise<{ from: Address; nonce: Hex } | null>
}

/** A claim that waits for our own settler. */
export type SettleJob = {
  key: string //       the claim
  payment: Payment
  createdMs: number // real time of the claim
  txs: Hex[] //        transactions of ours that already carried it, oldest first
  elsewhere: boolean // a facilitator may have sent it too: only the chain ends it
}

/** What the settler needs of the ledger. Each call is one atomic, idempotent change; a stale fence makes it throw. */
export type SettleLedger = {
  /** Oldest first, but for those that the reconciler could not decide either. A job stays until settled or refused. */
  pending(max: number): Promise<SettleJob[]>
  /**
   * Durable before the broadcast: the next leader looks for these transactions first.
   * @param which 'first': throws UnavailableError if a job was refused meanwhile, since its buyer has been told so.
   */
  recordBroadcast(keys: string[], tx: Hex, which: 'first' | 'again'): Promise<void>
  /** 'taken': this Transfer log already pays another claim; the claim is then void. */
  recordSettled(key: string, settled: Settled): Promise<'recorded' | 'already' | 'taken'>
  /** Only for what is proven: not used on chain and not able to land by any transaction of ours. */
  recordRefused(key: string, reason: ChainRefusal): Promise<void>
}

/** Why a signature is refused before anything is asked of the chain. */
export type SignatureRefusal = 'bad_signature' | 'wallet_not_supported'

/** @property unlisted its wallet would come from a factory that we do not deploy from, or no longer do. */
export type Classified = Pick<Payment, 'signature' | 'signer'> & { unlisted?: true }
/** Reads a signature and says who has to confirm it. Pure; the signature comes back in canonical form. */
export type Classifier = (
  authorization: Authorization,
  signature: string,
) => Classified | { refusal: SignatureRefusal }
