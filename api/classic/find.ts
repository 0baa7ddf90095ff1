import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Problem } from '../errors.ts'
import { fewAtOnce } from '../payment/fewAtOnce.ts'
import { CLOCK_SLACK_MS } from '../payment/legacyTimes.ts'
import type { Rail, RailTransfer } from '../rails/rail.ts'
import { canonicalTx, isSame } from './attribute.ts'
import { missingOn } from './book.ts'
import { type Intent, quoteOn } from './intent.ts'
import type { MoneyPorts } from './ports.ts'
import { type Refused, show, type Taking, takeTransfer } from './take.ts'

/** What a look for an intent's money came to. */
export type Look =
  | { kind: 'found'; intent: Intent; refused?: Problem } // refused: the intent is paid; the named transaction is not taken
  | { kind: 'waits'; intent: Intent; isUnknown?: true } // seen, not deep enough; or not known to the chain yet
  | { kind: 'nothing' }
  | Problem

/** Whose money is looked for, and on which rail. @property name digest of the intent. */
type Search = { name: string; intent: Intent; rail: Rail }

/** After its grace an intent is listed for this long; later, its money is found by the transaction hash only. */
export const LISTED_AFTER_MS = 60 * MINUTE
/** Transfers of one transaction in other amounts that are looked at and count as shown; and the most in all. */
const SHOWN = 16
const LOOKED_AT = 128
/** Any entry may be paid, and only the buyer knows which: a coin's transfer is found on the named rail alone. */
const ON_ANOTHER_RAIL =
  'If it went by another of payment.paymentOptions, repeat the request with its paymentRail.'
/** Concurrent looks that can buy nothing, and how long the caller's own look waits for them. */
const askedForNothing = fewAtOnce(32, 'transactions')
const ELSEWHERE_MS = 2 * SECOND
/** Transfers are listed from this long before the intent: earlier ones are strangers'; a little more for clocks. */
const LISTED_BEFORE_MS = CLOCK_SLACK_MS + 5 * SECOND

/**
 * Looks up a named transaction and takes what pays the intent.
 * @param signing finds its sender that signed for this intent; null: no caller.
 */
export async function lookByHash(
  search: Search,
  txHash: string,
  signing: ((tx: string, senders: readonly (string | null)[]) => Promise<string | null>) | null,
  ports: MoneyPorts,
): Promise<Look> {
  const { intent, rail } = search
  const tx = canonicalTx(rail, txHash)
  if (tx === null)
    return {
      problem: 'invalid_parameter',
      detail: `txHash: not a transaction of ${rail.chain}. ${ON_ANOTHER_RAIL}`,
    }
  const transfers = await rail.byHash(tx, quoteOn(intent, rail.id)?.receivers)
  if (signing !== null && (!Array.isArray(transfers) || transfers.length === 0))
    await showElsewhere(search, tx, ports)
  if (transfers === 'unknown') return { kind: 'waits', intent, isUnknown: true }
  if (transfers === 'failed')
    return { problem: 'transfer_mismatch', detail: 'The transaction moved nothing.' }
  const senders = transfers.map(({ from }) => from)
  const signer = (await signing?.(tx, senders)) ?? null
  return await takeAll(search, transfers, { signer, areShown: true }, ports)
}

/**
 * A caller who names a transaction on a rail for which the intent has no quote, or on another rail than stated, buys
 * nothing with it; it counts as shown all the same, so that nobody can have it meanwhile with an ended intent that fits
 * (decision 011).
 */
export async function showByHash(
  { name, intent, rail }: Omit<Search, 'intent'> & { intent: Pick<Intent, 'creditTo' | 'quotes'> },
  txHash: string,
  ports: MoneyPorts,
): Promise<void> {
  const tx = canonicalTx(rail, txHash)
  const told = quoteOn(intent, rail.id)?.receivers
  const transfers = tx === null ? 'unknown' : await askedForNothing(() => rail.byHash(tx, told))
  if (!Array.isArray(transfers)) return
  for (const transfer of transfers.filter(isMoney).slice(0, SHOWN)) await show(name, intent, transfer, ports)
}

/** Shows it on every other rail where a transaction may have this id. Skips rails that fail, and awaits no slow one. */
async function showElsewhere(search: Search, tx: string, ports: MoneyPorts): Promise<void> {
  const others = ports.rails.filter(
    ({ id, chain }) => id !== search.rail.id && canonicalTx({ chain }, tx) === tx,
  )
  const shown = Promise.allSettled(others.map((rail) => showByHash({ ...search, rail }, tx, ports)))
  await Promise.race([shown, sleep(ELSEWHERE_MS, undefined, { ref: false })])
}

const isMoney = ({ byAuthorization, atomic }: RailTransfer): boolean => !byAuthorization && atomic > 0n

/**
 * Looks for exactly the intent's amount, and for what is missing of it, among the transfers since it was opened.
 * @param asker if its buyer does not ask now, a refused transfer does not count as shown by anybody.
 */
export async function lookAround(
  search: Search,
  asker: 'buyer' | 'nobody',
  ports: MoneyPorts,
): Promise<Look> {
  const { intent, rail } = search
  const quote = quoteOn(intent, rail.id)
  if (quote === undefined || ports.clock.nowMs() > intent.graceUntilMs + LISTED_AFTER_MS)
    return { kind: 'nothing' }
  const transfers = await rail.since(intent.createdMs - LISTED_BEFORE_MS)
  const wanted = wantedOn(search)
  const exact = transfers.filter(({ atomic }) => wanted.includes(atomic))
  //  a half that was taken is what is missing, and has paid already
  const others = exact.filter((transfer) => !intent.transfers.some((taken) => isSame(taken, transfer)))
  const look = await takeAll(search, others, { signer: null, areShown: asker === 'buyer' }, ports)
  return 'problem' in look ? { kind: 'nothing' } : look
}

/** The amounts that are asked for: all of it, and what is missing of it. Atomic units. */
function wantedOn({ intent, rail }: Search): readonly bigint[] {
  const quote = quoteOn(intent, rail.id)
  return quote === undefined ? [] : [quote.atomic, missingOn(intent, quote)]
}

/**
 * Takes every transfer of the transaction in an amount that is asked for: each pays at most one purchase (CLS-11). Of
 * the others the signer's, until the intent is paid; if nothing pays, as many as it takes to say why: a transaction may
 * contain thousands, for cents.
 * @param signer the sender that signed for this intent, if one did.
 * @param areShown whether those that do not pay count as shown by its buyer.
 */
async function takeAll(
  search: Search,
  transfers: readonly RailTransfer[],
  { signer, areShown }: { signer: string | null; areShown: boolean },
  ports: MoneyPorts,
): Promise<Look> {
  const { name, intent, rail } = search
  let refused: Refused[] = []
  let found: Intent | null = null
  const wanted = wantedOn(search)
  const isSigned = ({ from }: RailTransfer) => signer !== null && signer === from
  const mayPay = (one: RailTransfer) =>
    wanted.includes(one.atomic) || intent.transfers.some((taken) => isSame(taken, one))
  const others = transfers.filter((one) => !mayPay(one))
  const shown = [...others.filter(isSigned), ...others.filter((one) => !isSigned(one))].slice(0, SHOWN)
  for (const transfer of [...transfers.filter(mayPay), ...shown].slice(0, LOOKED_AT)) {
    const signed = isSigned(transfer)
    const isDue = found === null || (signed && found.confirmedMs === null)
    if (!isDue && !mayPay(transfer)) break
    const taking: Taking = await takeTransfer(name, found ?? intent, transfer, rail, signed, ports)
    if (taking.kind === 'waits') return taking
    if (taking.kind === 'booked') {
      found = taking.intent
      continue
    }
    refused = [...refused, taking.why]
    //  a refused caller contends with a late intent, or a fitting legacy one, which then waits for it in vain
    if (areShown && taking.why !== 'spent' && isMoney(transfer)) await show(name, intent, transfer, ports)
  }
  return found === null ? refusalOf(refused, rail) : { kind: 'found', intent: found }
}

const REFUSALS: readonly Refused[] = [
  'contended',
  'wrong_amount',
  'spent',
  'reserved',
  'other_sender',
  'before_intent',
  'not_ours',
]
const TEXT = 'by the sending account over the text "intent <intentId> paid by <txHash>"'
/** How a sender proves that a transfer is theirs, by chain. */
const PROOFS = {
  evm: `Send txHash with payerSignature: EIP-191 ${TEXT}.`,
  solana: `Send txHash with payerSignature: ed25519, in base58, ${TEXT}.`,
  bitcoin: 'No signature is read on this rail: a person has to look into it.',
}
const proofOn = ({ chain }: Pick<Rail, 'chain'>): string =>
  chain === 'solana' || chain === 'bitcoin' ? PROOFS[chain] : PROOFS.evm

/** Refusals that a proof would overcome: the proof is described with them. */
const PROVABLE: readonly Refused[] = ['contended', 'wrong_amount', 'other_sender']
const DETAILS: Record<Refused, string> = {
  contended: 'It came late, and somebody else also claims it or had been given this amount by then.',
  wrong_amount: 'The amount is not the one asked for, so nothing shows whose it is.',
  spent: 'The transfer has already paid for something.',
  reserved: 'Another purchase is waiting for exactly this amount.',
  other_sender: 'The transfer does not come from buyerId.',
  before_intent: 'The transfer is older than the intent.',
  not_ours: `No transfer in it pays a receiver of this rail. ${ON_ANOTHER_RAIL}`,
}

/** The most telling refusal of all that were met. */
function refusalOf(refused: readonly Refused[], rail: Rail): Look {
  const why = REFUSALS.find((one) => refused.includes(one)) ?? 'not_ours'
  const detail = PROVABLE.includes(why) ? `${DETAILS[why]} ${proofOn(rail)}` : DETAILS[why]
  return { problem: why === 'spent' ? 'bound_elsewhere' : 'transfer_mismatch', detail }
}
