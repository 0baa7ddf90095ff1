import { RefusedOrder } from '../../../ops/commandLine.ts'
import { formatUsdc } from '../../../ops/units.ts'
import { amountText } from '../../checkout/amountText.ts'
import { accountDigest } from '../../entitlements/credit.ts'
import type { ByHandLedger, Granted } from '../../ledger/byHand.ts'
import type { PaidOut, ReferralLedger } from '../../ledger/referrals.ts'
import { cardMoney, type Stray, type StrayLedger } from '../../ledger/strays.ts'
import { REBUILT } from '../books/classes.ts'
import type { AmendsOrder } from './order.ts'

export type AmendsPorts = {
  strays: Pick<StrayLedger, 'strays' | 'strayDone'>
  byHand: ByHandLedger
  referrals: ReferralLedger
  nowMs: number
  mode: string
  codeOf(operation: string): string //  the claim code of this operation's credit
  digestOf(code: string): string
}

const REFUSED = {
  other: 'this operation granted something else before: name another one',
  taken: 'this money has paid for something already: see who has it before you give for it again',
}

const CARD = cardMoney('')
const doneBy = (operation: string): string => `credit ${operation}: `

/**
 * Refuses a card payment that is not in the list of strays or was dealt with: only the list shows that it was paid, bought
 * nothing and has not gone back. What it buys from now on the registry decides. @throws RefusedOrder
 */
function refuseCard(strays: readonly Stray[], sessionId: string, operation: string): void {
  const stray = strays.find((one) => one.sessionId === sessionId)
  if (stray?.gone !== undefined)
    throw new RefusedOrder(`--credit: ${sessionId} went back after credit was granted for it`)
  const isOpen = stray !== undefined && stray.done === null
  const isRepeated = stray?.done?.reason.startsWith(doneBy(operation))
  if (!isOpen && !isRepeated) throw new RefusedOrder(`--credit: ${sessionId} ${whyNot(stray)}`)
}

/** Why nothing is to be done about a card payment that is not open. */
const whyNot = (stray: Stray | undefined): string =>
  stray?.done
    ? `was seen to before: ${stray.done.reason}`
    : 'is not in the list of card payments that bought nothing'

/**
 * Refuses an order that, probably by mistake, names another transfer of a transaction than the one that came: explorers
 * count logs within the block, so a wrong number is easily copied.
 * @param paid its other transfers that have paid for something.
 * @throws RefusedOrder
 */
function refuseSecond(
  granted: readonly Granted[],
  paid: readonly string[],
  { money, operation, also }: { money: string; operation: string; also: readonly string[] },
): void {
  if (granted.some((one) => one.operation === operation)) return //  repeated: nothing more is granted
  const transaction = money.slice(0, money.lastIndexOf(':') + 1)
  const other = granted.find(
    (one) => one.money.startsWith(transaction) && one.money !== money && !also.includes(one.operation),
  )
  const refuse = (what: string, name: string) => {
    throw new RefusedOrder(
      `--credit: ${what} of the same transaction: see on the chain that both came, then add --also ${name}`,
    )
  }
  if (other !== undefined) {
    const gave = `${formatUsdc(BigInt(other.amountMicroUsdc))} USD as ${other.operation}`
    refuse(`${gave} was granted for ${other.money}`, other.operation)
  }
  const sold = paid.find((key) => !also.includes(key))
  if (sold !== undefined) refuse(`something was paid for with ${sold}`, sold)
}

/**
 * Refuses money that `ops/reconcile` has booked, until the operator says what it is: it buys nothing any more, but may
 * have been delivered for before the ledger lost it. @throws RefusedOrder
 */
function refuseBooked(owner: string | null, isSeen: boolean, money: string): void {
  if (owner === REBUILT && !isSeen)
    throw new RefusedOrder(
      `--credit: this money was booked by ops/reconcile: see that what it bought is lost, or that it bought nothing, then add --also ${money}`,
    )
}

/** Carries out the order. @returns the text to print, and the exit code. @throws RefusedOrder */
export async function amend(order: AmendsOrder, ports: AmendsPorts): Promise<{ text: string; code: number }> {
  const { strays, byHand, nowMs, mode } = ports
  if (order.action === 'list') {
    const open = (await strays.strays()).filter(({ done }) => done === null)
    const lines = [
      'card payments that bought nothing here:',
      ...(open.length === 0 ? ['  none'] : open.map(strayLine)),
      'credit granted by hand:',
      ...listed((await byHand.granted()).map(grantLine)),
      'earnings of referral codes paid out:',
      ...listed((await ports.referrals.paidOut()).map(payoutLine)),
    ]
    return { text: `${lines.join('\n')}\n`, code: open.length === 0 ? 0 : 1 }
  }
  if (order.action === 'done') {
    if (await strays.strayDone(order.sessionId, order.reason, nowMs))
      return { text: `${order.sessionId}: seen to\n`, code: 0 }
    const stray = (await strays.strays()).find((one) => one.sessionId === order.sessionId)
    throw new RefusedOrder(`--done: ${order.sessionId} ${whyNot(stray)}`)
  }
  if (order.action === 'referral') return { text: await earningsText(order.code, ports), code: 0 }
  if (order.action === 'payout') return await payOut(order, ports)
  const { operation, money, micro, reason } = order
  if (money.startsWith(CARD)) refuseCard(await strays.strays(), money.slice(CARD.length), operation)
  else refuseSecond(await byHand.granted(), await byHand.paidBeside(money, REBUILT), order)
  const isSeen = order.also.includes(money)
  refuseBooked(await byHand.owner(money), isSeen, money)
  const code = ports.codeOf(operation)
  const lot = ports.digestOf(code)
  const grant = { operation, money, micro, reason, lot, over: isSeen ? REBUILT : '' }
  const outcome = await byHand.grant(grant, mode, nowMs)
  if (outcome === 'other' || outcome === 'taken') throw new RefusedOrder(`--credit: ${REFUSED[outcome]}`)
  if (money.startsWith(CARD))
    await strays.strayDone(money.slice(CARD.length), `${doneBy(operation)}${reason}`, nowMs)
  const words = outcome === 'granted' ? 'granted' : 'was granted before'
  return {
    text: `${formatUsdc(micro)} USD ${words}. For the buyer alone, spent like every other claim code (X-Service-Claim-Code):\n${code}\n`,
    code: 0,
  }
}

async function payOut(
  { operation, code, micro, reason }: Extract<AmendsOrder, { action: 'payout' }>,
  { referrals, nowMs }: AmendsPorts,
): Promise<{ text: string; code: number }> {
  const digest = accountDigest(code)
  const outcome = await referrals.payOut({ operation, code: digest, micro, reason }, nowMs)
  const { owedMicro } = await referrals.earnings(digest)
  if (outcome === 'other')
    throw new RefusedOrder('--payout: this operation booked something else before: name another one')
  if (outcome === 'short') throw new RefusedOrder(`--payout: only ${formatUsdc(owedMicro)} USD are owed`)
  const words = outcome === 'booked' ? 'booked as paid out' : 'was booked before'
  return { text: `${formatUsdc(micro)} USD ${words}; ${formatUsdc(owedMicro)} USD are owed\n`, code: 0 }
}

async function earningsText(code: string, { referrals }: AmendsPorts): Promise<string> {
  const { sales, earnedMicro, paidOutMicro, owedMicro } = await referrals.earnings(accountDigest(code))
  return [
    `sales     ${sales}`,
    `earned    ${formatUsdc(earnedMicro)} USD`,
    `paid out  ${formatUsdc(paidOutMicro)} USD`,
    `owed      ${formatUsdc(owedMicro)} USD\n`,
  ].join('\n')
}

const listed = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? ['  none'] : lines)
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 16)

const strayLine = ({ sessionId, why, paymentId, cents, currency, sku, keptMs, gone }: Stray): string =>
  `  ${day(keptMs)}  ${gone === undefined ? why : 'credited_and_gone'}  ${amountText(cents, currency)}  ${sku || '?'}  ${sessionId}  ${paymentId ?? 'no payment'}`

const grantLine = ({ operation, money, amountMicroUsdc, reason, atMs, isOpened }: Granted): string =>
  `  ${day(atMs)}  ${formatUsdc(BigInt(amountMicroUsdc))} USD  ${operation}  ${money}  ${isOpened ? 'opened' : 'not opened'}  ${reason}`

const payoutLine = ({ operation, amountMicroUsdc, reason, atMs }: PaidOut): string =>
  `  ${day(atMs)}  ${formatUsdc(BigInt(amountMicroUsdc))} USD  ${operation}  ${reason}`
