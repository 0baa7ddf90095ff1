import { messageOf } from '../errors.ts'
import { formatUsdc } from '../units.ts'
import { dollarsBy, type IsDollar } from './dollars.ts'
import { type Answer, exchange } from './exchange.ts'
import { insist, isGood, timeLeft } from './insist.ts'
import type { Room } from './kept/spending.ts'
import { PurchaseEnd } from './outcomes.ts'
import type { PendingPayment } from './pending.ts'
import type { AskedView, AttemptView, SignedView, Tell } from './report.ts'
import { type Attempt, endOf } from './resend.ts'
import { printable } from './terminal.ts'
import type { Wallet } from './wallet.ts'
import { readAsked, readSigned, whyNotPayable } from './wire.ts'

export const ACCEPT = { accept: 'application/json' }

export type Exchanged = {
  asked: AskedView | null
  signed: SignedView | null
  attempts: AttemptView[]
  answer: Answer | null
  arrived: boolean //         the payment may have reached the service, in this run or in an earlier one
  settleMs: number //         from the first sending of the payment to its answer
}

export type PayOptions = {
  wallet: Wallet
  room: Room
  headers: Record<string, string> // sent with every request, besides the payment
  sku: string | null //       the 402 must be for this one
  deadlineMs: number //       of performance.now()
  tell: Tell
  /** Called with the signed payment before it is sent for the first time. */
  keep(signed: SignedView, header: string): Promise<void>
}

/**
 * Buys through the stock `wrapFetchWithPayment`: it asks, signs, and sends once. The fetch it is given is
 * ours: it looks at the 402 before anything is signed, and it sends a signed payment again, unchanged, until
 * there is an answer, so that the wrapper never has a reason to sign a second time.
 * @throws PurchaseEnd
 */
export async function payForAnswer(url: string, options: PayOptions, seen: Exchanged): Promise<void> {
  //  loaded only to pay: half a second of CPU
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
  const scheme = new ExactEvmScheme(options.wallet.account)
  const isDollar = dollarsBy(scheme.findDefaultAsset)
  const client = new x402Client()
    .register('eip155:*', scheme)
    .setSpendControls({ maxAmountPerPayment: `$${formatUsdc(options.room.micro)}` })
    .registerPolicy((_version, offers) =>
      offers.filter((offer) => whyNotPayable(offer) === null && isDollar(offer)),
    )
  const transport = async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const payment = request.headers.get('payment-signature')
    if (payment !== null) return await sendPayment(request, payment, options, seen)
    const answer = await askPrice(request, options, seen)
    refuseOffer(seen.asked!, options, isDollar)
    return responseOf(answer)
  }
  try {
    await wrapFetchWithPayment(transport, client)(url, { headers: { ...ACCEPT, ...options.headers } })
  } catch (error) {
    if (error instanceof PurchaseEnd) throw error
    const why = messageOf(error)
    throw new PurchaseEnd(seen.arrived ? 'unknown' : 'refused', `the x402 client would not pay: ${why}`)
  }
}

/** Sends a payment that was signed in an earlier run. Nothing is signed here. @throws PurchaseEnd */
export async function resumePayment(
  { url, headers: sent, paymentSignature }: Pick<PendingPayment, 'url' | 'headers' | 'paymentSignature'>,
  options: Pick<PayOptions, 'deadlineMs' | 'tell' | 'keep'>,
  seen: Exchanged,
): Promise<void> {
  const headers = { ...ACCEPT, ...sent, 'payment-signature': paymentSignature }
  await sendPayment(new Request(url, { headers }), paymentSignature, options, seen)
}

async function askPrice(request: Request, options: PayOptions, seen: Exchanged): Promise<Answer> {
  const startMs = performance.now()
  const { answer, attempt } = await exchange(request, timeLeft(options.deadlineMs))
  if (answer === null)
    throw new PurchaseEnd('unreachable', `${new URL(request.url).origin} does not answer (${attempt.reason})`)
  if (answer.status !== 402) {
    seen.answer = answer
    throw new PurchaseEnd('refused', describeUnpaid(answer))
  }
  const asked = readAsked(
    answer.headers.get('payment-required'),
    answer.json,
    answer.status,
    performance.now() - startMs,
  )
  seen.asked = asked
  options.tell({ step: 'asked', asked })
  return answer
}

function refuseOffer(asked: AskedView, { sku, room }: PayOptions, isDollar: IsDollar): void {
  const refuse = (why: string) => new PurchaseEnd('refused', why)
  if (sku !== null && asked.sku !== sku)
    throw refuse(`the service sells ${asked.sku ?? 'something without a SKU'} there, not ${sku}`)
  const [offer] = asked.accepts
  if (offer === undefined)
    throw refuse('the service offers no payment that is made here; ./ops/buy inspect says why')
  const [cheapest] = asked.accepts
    .filter(isDollar)
    .map(({ amountAtomic }) => BigInt(amountAtomic))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  if (cheapest === undefined)
    throw refuse(
      `it wants ${offer.asset} on ${offer.network}, which is not known to be a dollar; nothing was signed`,
    )
  if (cheapest > room.micro)
    throw refuse(
      room.lift === ''
        ? `it costs ${formatUsdc(cheapest)} USDC, and ${room.limit} leaves ${formatUsdc(room.micro)} USDC; nothing was signed`
        : `it costs ${formatUsdc(cheapest)} USDC, more than the limit of ${formatUsdc(room.micro)} USDC; ` +
            `nothing was signed. To allow it: ${room.lift} ${formatUsdc(cheapest)}`,
    )
}

async function sendPayment(
  request: Request,
  payment: string,
  options: Pick<PayOptions, 'deadlineMs' | 'tell' | 'keep'>,
  seen: Exchanged,
): Promise<Response> {
  const signed = readSigned(payment)
  seen.signed = signed
  await options.keep(signed, payment)
  const firstMs = performance.now()
  const { answer, attempt, arrived } = await insist(request, { ...options, attempts: seen.attempts })
  seen.answer = answer
  seen.arrived ||= arrived
  seen.settleMs = performance.now() - firstMs
  if (isGood(answer)) return responseOf(answer)
  throw new PurchaseEnd(endOf(attempt, seen.arrived), describePaid(attempt, answer))
}

/** The wrapper reads bodies without a bound; it gets what was read with one. */
const responseOf = ({ status, headers, text }: Answer): Response =>
  new Response(text, { status, headers: keepable(headers) })

/** The body is plain text by now. */
function keepable(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name)
  return kept
}

export function describeUnpaid({ status, headers, json }: Answer): string {
  if (status >= 200 && status <= 299) return 'nothing is sold there: the service answers without a payment'
  if (status >= 300 && status <= 399)
    return `the service points elsewhere (${status} to ${headers.get('location') ?? 'nowhere'}); redirects are not followed`
  const left = headers.get('x-service-credit-balance-usdc')
  const credit = left === null ? '' : ` (store credit that can be spent: ${printable(left)} USD)`
  return `the service answers ${status}${credit}${words(json)}`
}

function describePaid(attempt: Attempt, answer: Answer | null): string {
  if (attempt.kind === 'lost') return `no answer to the payment (${attempt.reason})`
  return `the service answers ${attempt.status}${words(answer?.json)}`
}

const MAX_WORDS_CHARS = 500

/** What a problem+json body says, in its own words: what is wrong, and on a line of its own what to do. */
function words(json: unknown): string {
  if (typeof json !== 'object' || json === null) return ''
  const text = (name: string): string => {
    const value = (json as Record<string, unknown>)[name]
    return typeof value === 'string' ? printable(value).slice(0, MAX_WORDS_CHARS) : ''
  }
  const why = text('detail') || text('title')
  const next = text('next')
  return `${text('code') && ` ${text('code')}`}${why && `: ${why}`}${next && `\n${next}`}`
}
