import { formatUsdc, usdcNumber } from '../../ops/units.ts'
import { tokenOf } from '../entitlements/token.ts'
import { PROBLEMS, type Problem } from '../errors.ts'
import type { Rail, RailId } from '../rails/rail.ts'
import { RAIL_SPECS } from '../rails/records.ts'
import { signCreditNote } from '../receipts/creditNote.ts'
import { canonicalTx, isReceiver } from './attribute.ts'
import { dueMicro, microOf, missingOn, payingOf } from './book.ts'
import { type Intent, isLapsed, type Note, type Quoted, quoteOn, type Taken } from './intent.ts'
import { askForInput } from './item.ts'
import type { MoneyPorts } from './ports.ts'
import type { MoneyNote, PaymentOption, StandingAnswer } from './shapes.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

/** `1234567n` with 6 decimals → `"1.234567"`: the shortest exact decimal. */
export function decimalOf(atomic: bigint, decimals: number): string {
  const digits = atomic.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Whether money for a quote is found without its hash: a rail only looks for transfers to its current receivers. */
const isDiscovered = (quote: Quoted | undefined, rail: Rail): boolean =>
  rail.discovers && (quote?.receivers ?? []).every((address) => isReceiver(rail, address))

export function showOption(quote: Quoted, rail: Rail): PaymentOption {
  const [first, ...others] = quote.receivers ?? []
  return {
    paymentRail: rail.id,
    label: rail.label,
    chain: rail.chain,
    asset: rail.asset,
    amountAsset: decimalOf(quote.atomic, rail.decimals),
    amountAtomic: quote.atomic.toString(),
    receiverAddress: first ?? rail.receiverAddress,
    alternateReceivers: first === undefined ? [...rail.alternateReceivers] : others,
    discovers: isDiscovered(quote, rail),
    validUntil: iso(quote.validUntilMs),
    priceSource: quote.source,
  }
}

export const showOptions = (quotes: readonly Quoted[], rails: readonly Rail[]): PaymentOption[] =>
  quotes.flatMap((quote) => {
    const rail = rails.find(({ id }) => id === quote.rail)
    return rail === undefined ? [] : [showOption(quote, rail)]
  })

/** The token of a note's credit: a function of the intent and the note, so that it can be shown again. */
export const noteToken = (secret: Buffer, name: string, { lot }: Note): string =>
  tokenOf(secret, 'credit', `intent-note|${name}|${lot}`)

/** Whether a note's credit waits for its claim code. Before the ledger has said so, that is when no secret was sent. */
const isUnderCode = ({ creditTo }: Intent, { to, deposited }: Note): boolean =>
  to === null && !deposited ? creditTo === null : to !== 'account'

/**
 * How the buyer looked for the money, whether some is on its way, and why what came beside what paid is not taken: what
 * to do next depends on it.
 */
export type Sought = { paymentRail?: RailId | undefined; waits?: boolean; refused?: Problem }

/** Beside the answer of a purchase, whose bytes stay the same: what becomes of money that did not pay for it. */
export const OTHER_PAYMENT = 'x-service-other-payment'

/** Of the named transaction, else of any that came; null: it paid, or there is none. */
export function otherPayment(
  { transfers }: Intent,
  txHash: string | undefined,
  { waits = false, refused }: Sought,
): 'store_credit' | 'waits' | 'not_taken' | null {
  const isNamed = ({ rail, tx }: Taken) =>
    txHash === undefined || canonicalTx(RAIL_SPECS[rail], txHash) === tx
  const named = transfers.filter(isNamed)
  if (named.some(({ pays }) => !pays)) return 'store_credit'
  if (txHash === undefined || named.length > 0) return null
  if (refused !== undefined) return 'not_taken'
  return waits ? 'waits' : null
}

/** @property name digest of the intent; `id` is what its buyer calls it. `isRevoked`: what paid has left its chain. */
export function showStanding(
  { id, name, intent: kept, isRevoked }: { id: string; name: string; intent: Intent; isRevoked: boolean },
  ports: Pick<MoneyPorts, 'rails' | 'answers' | 'clock'>,
  sought: Sought,
): StandingAnswer {
  const { rails, answers, clock } = ports
  const intent: Intent = isLapsed(kept, clock.nowMs()) ? { ...kept, state: 'Expired' } : kept
  const paying = payingOf(intent)
  const rail = paying.at(-1)?.rail ?? intent.rail
  const rest = intent.quotes.map((quote) => ({ ...quote, atomic: missingOn(intent, quote) }))
  return {
    ok: true,
    sku: intent.sku,
    mode: answers.mode,
    settlement: {
      intentId: id,
      state: intent.state,
      paid: intent.confirmedMs !== null,
      revoked: isRevoked,
      dueUsdc: formatUsdc(dueMicro(intent, rail)),
      receivedUsdc: formatUsdc(microOf(intent, paying)),
      missing:
        intent.state === 'Underpaid'
          ? showOptions(
              rest.filter((quote) => paying.some((taken) => taken.rail === quote.rail)),
              rails,
            )
          : [],
      confirmations:
        intent.seen === null || intent.state === 'New'
          ? null
          : { have: intent.seen.confirmations, need: intent.seen.needed },
      transactions: intent.transfers.map(({ tx }) => tx),
      notes: intent.notes.map((note) => showNote(name, intent, note, ports)),
      expiresAt: iso(intent.expiresMs),
      next:
        isRevoked && intent.state === 'Delivered'
          ? REVOKED_NEXT
          : nextOf(intent, sought, rails) + (BUYS.has(intent.state) ? askForInput(intent) : ''),
    },
  }
}

function showNote(
  name: string,
  intent: Intent,
  note: Note,
  { answers, clock }: Pick<MoneyPorts, 'answers' | 'clock'>,
): MoneyNote {
  const { kind, micro, revoked } = note
  const transactions = intent.transfers.filter(({ key }) => note.transfers.includes(key)).map(({ tx }) => tx)
  const stated = {
    merchant: answers.publicUrl,
    mode: answers.mode,
    intentHash: name,
    sku: intent.sku,
    kind,
    creditUsdc: formatUsdc(micro),
    transactions,
    revoked,
    statedAt: iso(clock.nowMs()),
  }
  return {
    kind,
    creditUsdc: usdcNumber(micro),
    transactions,
    claimCode: isUnderCode(intent, note) ? noteToken(answers.secret, name, note) : null,
    revoked,
    attestation: note.deposited ? signCreditNote(answers.receiptKey, stated) : null,
  }
}

/**
 * A buyer who has paid is never told to pay again: not while the transfer is on its way, nor if only its hash finds it.
 */
function nextOf(intent: Intent, sought: Sought, rails: readonly Rail[]): string {
  const { paymentRail, waits = false, refused } = sought
  if (refused !== undefined) return `${notTaken(refused)} ${NEXT[intent.state]}`
  const rail = rails.find(({ id }) => id === (paymentRail ?? intent.rail))
  if (rail === undefined) return NEXT[intent.state]
  if (waits && AWAITS.has(intent.state))
    return `The transaction is not found on ${rail.chain} yet, or not deep enough: send no more money; repeat this request, with paymentRail if it went by another rail. What came late is yours if nobody else claims it for ten minutes. If it is not found within an hour, check txHash.`
  if (intent.state === 'New' && !isDiscovered(quoteOn(intent, rail.id), rail))
    return `Send the exact amount of one payment option, once, then POST /fulfill with its txHash: without it no transfer is found on ${rail.id}. If you have paid, do not pay again: send txHash.`
  return NEXT[intent.state]
}

/** A transaction that was named for a paid purchase. */
const notTaken = ({ problem, detail }: Problem): string =>
  [`txHash does not pay for this purchase: ${PROBLEMS[problem].title}.`, detail].filter(Boolean).join(' ')

const REVOKED_NEXT =
  'The money that paid is no longer on its chain: what was bought is suspended, and resumes by itself if it returns. Send no more for it.'

/** States in which /fulfill has yet to give the result. */
const BUYS: ReadonlySet<Intent['state']> = new Set(['New', 'Seen', 'Underpaid', 'Confirmed'])

const AWAITS: ReadonlySet<Intent['state']> = new Set([
  ...(['New', 'Underpaid', 'Expired'] as const),
  ...(['Late', 'Delivered', 'Refunded'] as const), //  another transfer has come for it
])

const NEXT: Record<Intent['state'], string> = {
  New: 'Send the exact amount of one payment option, once, then POST /fulfill until it is found: with paymentRail if it went by another rail, with txHash where discovers is false.',
  Seen: 'Wait for the confirmations, then repeat the request.',
  Underpaid:
    'Send exactly what is missing, once, from the same wallet; then POST /fulfill until it is found, with the txHash of that transfer where discovers is false.',
  Confirmed: 'POST /fulfill for the result.',
  Delivered: 'POST /fulfill gives the same result again while it is kept (24 hours).',
  Expired: 'Open a new intent; what was sent for this one can still be claimed with its txHash.',
  Late: 'The money is store credit: see notes.',
  Refunded:
    'It could not be delivered, or was taken back since its money had left its chain; the money that is there is store credit: see notes.',
}
