import { MINUTE } from '../../ops/units.ts'
import { buyerDigest, isWallet } from '../entitlements/credit.ts'
import type { Holder } from '../ledger/intents.ts'
import { CLOCK_SLACK_MS } from '../payment/legacyTimes.ts'
import type { Rail, RailId, RailTransfer } from '../rails/rail.ts'
import { RAIL_SPECS } from '../rails/records.ts'
import { missingOn, payingOf } from './book.ts'
import { type Intent, type Quoted, quoteOn, type Taken } from './intent.ts'

/**
 * A Bitcoin block need only be stamped later than the median of the eleven before it: six blocks, an hour at the usual
 * pace. Its amounts stay reserved for that much longer, so that a transfer for one intent never falls into the next
 * one's time.
 */
const BITCOIN_SLACK_MS = 60 * MINUTE
export const slackMs = (rail: RailId): number =>
  RAIL_SPECS[rail].chain === 'bitcoin' ? BITCOIN_SLACK_MS : CLOCK_SLACK_MS
/** An amount is round if it is a multiple of this many steps of its rail: three decimals of a dollar coin. */
const ROUND_STEPS = 1_000n
/**
 * People round: they send the list price, or as many decimals as their wallet shows. No intent asks for such an amount,
 * so no intent can be collected in the hope that one fits.
 */
export const isRound = ({ rail, atomic }: Pick<RailTransfer, 'rail' | 'atomic'>): boolean =>
  atomic % (ROUND_STEPS * RAIL_SPECS[rail].tagStep) === 0n

/** Why a transfer does not pay an intent, in the order the checks run. */
export type NotPaying =
  | 'not_ours' //          an x402 settlement, nothing moved, or a rail that was not quoted
  | 'before_intent' //     by its block, or another showed it before this intent was opened
  | 'other_sender'
  | 'reserved' //          another intent had this very amount then, or after this one
  | 'contended' //         late, and another intent had this amount by then, or also claims the transfer
  | 'wrong_amount' //      shows nobody's intent; anybody can name the sending wallet, so only its signature counts

/** What is known about a transfer besides the transfer itself. */
export type Evidence = {
  seenBy: string | null // digest of the intent that saw this transfer on its way, before any other did
  before: Holder | null // the intent that had this amount to itself at the time its block states
  owner: Holder | null //  the last one to have it by then, if the block's time is as wrong as it may be
  fromBuyer: boolean //    its sender is the wallet by which the buyer is named
  signed: boolean //       its sender signed for this intent
  shownMs: number | null // since when another intent claims it, by the ledger's clock
}

/** An account as its chain spells it: only EVM addresses have several spellings. */
export const spelling = (address: string): string => (isWallet(address) ? address.toLowerCase() : address)

export const isReceiver = (
  { receiverAddress, alternateReceivers }: Pick<Rail, 'receiverAddress' | 'alternateReceivers'>,
  to: string,
): boolean => [receiverAddress, ...alternateReceivers].some((address) => spelling(address) === spelling(to))

/** Whether the sending wallet is the address by which the buyer is named. */
export const isFromBuyer = (
  { buyerDigest: buyer, buyerIsWallet }: Pick<Intent, 'buyerDigest' | 'buyerIsWallet'>,
  { from }: Pick<RailTransfer, 'from'>,
  secret: Buffer,
): boolean => buyerIsWallet && from !== null && buyerDigest(secret, spelling(from)) === buyer

/** Why a transfer does not pay an intent, or null (CLS-03, CLS-06, CLS-12). Pure. @param name digest of the intent. */
export function refuseTransfer(
  intent: Intent,
  name: string,
  transfer: RailTransfer,
  { seenBy, before, owner, fromBuyer, signed, shownMs }: Evidence,
): NotPaying | null {
  const quote = quoteOn(intent, transfer.rail)
  if (quote === undefined || transfer.byAuthorization || transfer.atomic <= 0n) return 'not_ours'
  //  a transfer that this intent saw on its way was not made before it, whatever its block's time says
  const isSeen = intent.seen?.key === transfer.key || seenBy === name
  if (!isSeen && transfer.atMs < intent.createdMs - slackMs(transfer.rail)) return 'before_intent'
  const isProven = signed || isRest(intent, quote, transfer)
  if (intent.buyerIsWallet && transfer.from !== null && isWallet(transfer.from) && !fromBuyer && !isProven)
    return 'other_sender'
  if (seenBy !== null && seenBy !== name) return 'reserved'
  const isExact = transfer.atomic === quote.atomic
  if (isExact && isSeen) return null
  if (isExact && transfer.atMs <= intent.graceUntilMs) {
    //  the block's stamp may be early: somebody who reads a sent transfer could keep opening intents until one fits it
    const own = [before, owner].find((holder) => holder?.intent === name)
    if (!signed && shownMs !== null && shownMs < (own?.sinceMs ?? intent.createdMs)) return 'before_intent'
    return before !== null && before.intent !== name && isInTime(before, transfer) ? 'reserved' : null
  }
  const isOthers = owner !== null && owner.intent !== name
  if (isOthers && transfer.atMs <= owner.untilMs) return 'reserved'
  if (isProven) return null
  //  late: it is the last holder's. Anybody can name the sending wallet, so that does not outweigh another holder
  if (isExact && !isRound(transfer))
    return owner?.intent === name || (fromBuyer && owner === null) ? null : 'contended'
  return 'wrong_amount'
}

/**
 * Within the time and grace of its holder: the amount stays reserved a little longer, and clocks may differ by more.
 */
const isInTime = ({ untilMs }: Holder, { atMs, rail }: RailTransfer): boolean =>
  atMs <= untilMs - slackMs(rail)

/** Exactly what is missing, from a wallet that has proven by an earlier part that it pays for this intent. */
const isRest = (intent: Intent, quote: Quoted, { atomic, from }: RailTransfer): boolean =>
  atomic === missingOn(intent, quote) &&
  payingOf(intent).some(
    (part) => part.from !== null && from !== null && spelling(part.from) === spelling(from),
  )

/** Whether an intent has taken this transfer, possibly under the transfer's former key. */
export const isSame = (
  { key }: Pick<Taken, 'key'>,
  transfer: Pick<RailTransfer, 'key' | 'formerKey'>,
): boolean => key === transfer.key || key === transfer.formerKey

/** The transaction's name as its chain spells it; null when it cannot be one (CLS-02). */
export function canonicalTx({ chain }: Pick<Rail, 'chain'>, text: string): string | null {
  const trimmed = text.trim()
  if (chain === 'solana') return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(trimmed) ? trimmed : null
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(trimmed)?.[1]?.toLowerCase()
  if (digits === undefined) return null
  return chain === 'bitcoin' ? digits : `0x${digits}`
}
