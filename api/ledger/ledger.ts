import type { GrantRow } from '../entitlements/grant.ts'
import type { TokenKind } from '../entitlements/token.ts'
import type { PaidPart } from '../receipts/attestation.ts'
import type { Payment, Settled } from '../settlement/port.ts'
import type { CreditBooking, CreditHolder } from './credits.ts'
import type { SoldCard } from './soldCard.ts'

/**
 * The books of money: which payment is bound to which request, where it stands, and what was answered.
 * Every method that changes something is one atomic, durable, idempotent step.
 */

/** `auth:<chain>:<asset>:<from>:<nonce>` or `tx:<chain>:<hash>:log<index>`, all lower case. */
export type ClaimKey = string

export const authorizationKey = (payment: Payment): ClaimKey =>
  `auth:${payment.chainId}:${payment.asset}:${payment.authorization.from}:${payment.authorization.nonce}`
/** @param logIndex within the transaction, so that a reorganisation leaves the name as it is. */
export const transferKey = (chainId: number, tx: string, logIndex: number): ClaimKey =>
  `tx:${chainId}:${tx}:log${logIndex}`
/** The EIP-155 chain id; 0: another kind of network. @param network CAIP-2, or the name of another means of payment. */
export const chainIdOf = (network: string): number => Number(/^eip155:(\d+)$/.exec(network)?.[1] ?? 0)
/**
 * The key of a transfer until 2026-11-21. Nothing is written under it any more, but existing rows still count.
 * @param blockIndex of the log within its block.
 */
export const formerTransferKey = (chainId: number, tx: string, blockIndex: number): ClaimKey =>
  `tx:${chainId}:${tx}:${blockIndex}`

/**
 * settling: the money may move; only the chain knows. settled: it moved. refused: it did not, but somebody
 * could still submit it. void: it did not and never will.
 */
export type ClaimState = 'settling' | 'settled' | 'refused' | 'void'

/** What is written when a request claims a payment; enough to answer it without the request. */
export type ClaimTerms = {
  fingerprint: string //   hash of method, path, canonical query, sku, amount, receiver
  paymentHash: string //   hash of the canonical payment, signature included
  sku: string
  path: string
  purchasePath: 'x402' | 'legacy' | 'classic' | 'credit' | 'card'
  via: 'self' | 'facilitator' | 'transfer' | 'credit' | 'card'
  network: string
  rail?: string //          of a classic purchase; absent: usdc_base
  asset: string
  payTo: string
  payer: string
  amountMicroUsdc: bigint
  paid?: PaidPart[] //      transfers that paid, then credit; absent: one transfer of just the amount, or credit alone
  snapshotVersion: number | null
  creditTo: CreditHolder | null // where bought credit goes, if the purchase brought the account's secret along
  draft: string //         JSON of the good's draft
  paymentId?: string //    digest of payer and payment id, if the buyer gave the purchase one
  foundTx?: string //       somebody else's transaction that moved it, however long ago: becomes one of `txs`
}

export type Claim = ClaimTerms & {
  key: ClaimKey
  state: ClaimState
  createdMs: number
  settledMs: number | null // store time at which it was written down
  leaseMs: number | null //  store time until which the owner may be at work
  validBefore: bigint | null
  payment: Payment | null // gone once delivered or void
  txs: string[]
  settled: Settled | null
  reason: string | null
  answer: { body: string; paymentResponse: string } | null
}

/** A claim as lists return it, without draft and answer: thousands are read at once, and answers may be long. */
export type ListedClaim = Omit<Claim, 'draft' | 'answer'>

/**
 * By score, in ms. settling: since when. undelivered: settled since when. watched: until when it can move money.
 * `postpone` delays it.
 */
export type ClaimList = 'settling' | 'undelivered' | 'watched'

export type ClaimOutcome = 'won' | 'retake' | 'settling' | 'settled' | 'void' | 'bound' | 'crowded'

export type Sale = {
  eventId: string
  atMs: number
  sku: string
  path: string
  purchasePath: string
  rail: string //          of the first transfer, if several paid
  chainId: number //       0: not of EIP-155
  asset: string
  payer: string
  amountMicroUsdc: string
  creditMicroUsdc?: string // part of it that was store credit; absent: none, or an older entry, which may have some
  tx: string
  logIndex: number
  attestationId: string
  snapshotVersion: number | null
  cardIds: string[] //     gap cards that were in the answer
  cards?: SoldCard[] //    the same, as they were sold; older entries have none
  requestHash: string
  responseHash: string
  mode: string
}

/** What a step took from one metered grant. `expiresMs` 0: there is no such grant. */
export type Spent = { taken: number; left: number; expiresMs: number; expired: boolean }

/** A call with a name, as it was answered: the answer, and what its grant had left then. */
export type AnsweredCall = { answer: string; left: number; expiresMs: number }

export type Delivery = {
  body: string //            as stored: with a placeholder where the answer shows a token
  paymentResponse: string
  attestationId: string
  attestation: string //     JSON
  sale: Sale
  grant: ({ kind: TokenKind; digest: string } & GrantRow) | null // issued in the same step
  credit?: CreditBooking | null //  booked in the same step
}

/** A number: ms until a transfer may be claimed without proof, if nobody else claims it; `contended`: somebody did. */
export type Shown = 'settled' | 'bound' | 'taken' | 'contended' | number

export type Ledger = {
  find(key: ClaimKey): Promise<Claim | null>
  /**
   * 'crowded': its payer has the maximum number of open claims; nothing was written.
   * @param hasMoved the chain shows that its money is here: then it is claimed regardless of that maximum.
   */
  claim(
    key: ClaimKey,
    owner: string,
    terms: ClaimTerms,
    payment: Payment,
    hasMoved?: boolean,
  ): Promise<ClaimOutcome>
  /** @param objectionMs as showTransfer has it. */
  claimTransfer(
    key: ClaimKey,
    terms: ClaimTerms,
    settled: Settled,
    chainId: number,
    objectionMs?: number,
  ): Promise<'won' | Shown>
  /**
   * Notes who claims a transfer as theirs, before anything else can refuse the request.
   * @param objectionMs how long others may object; 0: its sender has signed for this request.
   */
  showTransfer(
    key: ClaimKey,
    terms: Pick<ClaimTerms, 'fingerprint' | 'paymentHash'>,
    settled: Pick<Settled, 'tx' | 'blockIndex'>,
    chainId: number,
    objectionMs: number,
  ): Promise<'open' | Shown>
  /** Since when somebody else claims this transfer as theirs; null: nobody is known to. */
  shownSince(key: ClaimKey, paymentHash: string): Promise<number | null>
  recordSettled(
    key: ClaimKey,
    settled: Settled,
    chainId: number,
  ): Promise<'recorded' | 'already' | 'taken' | 'unknown'>
  /**
   * @param fence held by our own settler, '' for others.
   * @param owner who claimed, when the refusal concerns that owner's attempt and does not come from the chain.
   */
  recordRefused(
    key: ClaimKey,
    reason: string,
    end: 'refused' | 'void',
    fence?: string,
    owner?: string,
  ): Promise<'recorded' | 'settled' | 'void' | 'unknown' | 'fenced' | 'taken_over'>
  /**
   * To be called before sending. @returns false: a newer settler is at work.
   * @throws UnavailableError for 'first' if one of them was refused since it was read; 'again' is recorded regardless.
   */
  recordBroadcast(keys: ClaimKey[], tx: string, fence: string, which?: 'first' | 'again'): Promise<boolean>
  /** The first answer stored is returned to everybody. 'moved': its credit would not go where the answer says. */
  deliver(
    key: ClaimKey,
    delivery: Delivery,
  ): Promise<{ body: string; paymentResponse: string } | 'not_settled' | 'moved'>
  /** Resolves when the claim is no longer settling, or with null after `timeoutMs`. */
  whenDecided(key: ClaimKey, timeoutMs: number): Promise<Claim | null>
  /** Longest due first. Entries without a claim are dropped from the list; broken rows are left out (DATA-08). */
  list(which: ClaimList, max: number, dueMs?: number): Promise<ListedClaim[]>
  /** Moves a claim that could not be dealt with behind those that are due, so that it delays none. Only if listed. */
  postpone(which: ClaimList, key: ClaimKey, dueMs: number): Promise<void>
  attestation(id: string): Promise<string | null>
  /** Since when the money of this receipt is gone from its chain, Unix ms; null: it is not gone. */
  revokedMs(id: string): Promise<number | null>
  /** What was issued under a token's digest; kept for a month after it expired. */
  grant(kind: TokenKind, digest: string): Promise<GrantRow | null>
  /**
   * Takes up to the wanted number of calls from each grant, by digest, in one step.
   * @param operation repeated, it takes nothing more.
   */
  spendCalls(
    kind: TokenKind,
    operation: string,
    wanted: ReadonlyMap<string, number>,
  ): Promise<Map<string, Spent>>
  /**
   * Takes one call from a grant for this answer, or returns the earlier answer under this name, kept for five minutes.
   * 'no_room', 'outdated': nothing was taken.
   * @param untilMs last ms of the answer by the ledger's clock. What was taken by then stays the answer, however late its
   *   reply comes.
   */
  answerCall(
    kind: TokenKind,
    name: string,
    digest: string,
    answer: string,
    untilMs?: number,
  ): Promise<AnsweredCall | 'unknown' | 'expired' | 'used_up' | 'outdated' | 'no_room'>
  answeredCall(name: string): Promise<AnsweredCall | null>
  /**
   * Gives back one call that spendCalls took, to a grant that still exists.
   * @param operation an id of its own; repeated, it gives nothing more.
   */
  giveBackCall(kind: TokenKind, operation: string, digest: string): Promise<void>
  /** The ledger's own clock, Unix ms: what grants expire by. */
  nowMs(): Promise<number>
  /** Why no money may be taken now; null when the store is as durable as it must be. */
  problem(): Promise<string | null>
}
