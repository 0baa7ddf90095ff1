import type { z } from 'zod'
import { buyerDigest } from '../entitlements/credit.ts'
import { isProblem, type Problem } from '../errors.ts'
import { type Look, lookAround, lookByHash, showByHash } from './find.ts'
import { type Intent, quoteOn } from './intent.ts'
import { readIntent } from './money.ts'
import { intentName } from './order.ts'
import { senderSigning } from './payerSignature.ts'
import type { ClassicPorts } from './ports.ts'
import type { Asked } from './request.ts'
import type { SettleRequest } from './shapes.ts'
import { lookAtSeen } from './vanish.ts'

export type Known = { id: string; name: string; intent: Intent }

/** Stands in for an unknown intent. */
const NOBODYS = { creditTo: null, quotes: [] }

const NAMELESS: Problem = {
  problem: 'invalid_parameter',
  detail: 'buyerId: send the one this intent was opened with, here or as x-agent-id.',
}

/** For a buyer who was told to pay on this rail and may have done so. */
const NOT_LOOKED_AT =
  'If you have paid by it, send no more: repeat this request when it is in service again. Otherwise pay another of payment.paymentOptions.'

type Named = Pick<z.output<typeof SettleRequest>, 'intentId' | 'txHash' | 'paymentRail'>

/**
 * The caller's own intent. An unknown id and another buyer's id get the same refusal (CLS-05); a transaction named with
 * either counts as shown all the same. A caller without a name is asked for it: the id cannot be guessed, so the intent
 * is theirs, and told that it is unknown they would pay for another one.
 */
export async function ownIntent(
  { body, buyer }: Pick<Asked<Named>, 'body' | 'buyer'>,
  ports: ClassicPorts,
): Promise<Known | Problem> {
  const name = intentName(body.intentId)
  const read = await readIntent(name, ports)
  const intent = read?.intent ?? null
  if (intent !== null && intent.buyerDigest === buyerDigest(ports.answers.secret, buyer))
    return { id: body.intentId, name, intent }
  const rail = ports.rails.find(({ id }) => id === (body.paymentRail ?? intent?.rail ?? 'usdc_base'))
  if (body.txHash !== undefined && rail !== undefined)
    await showByHash({ name, intent: intent ?? NOBODYS, rail }, body.txHash, ports)
  if (intent === null) return { problem: 'intent_unknown' }
  return buyer === '' ? NAMELESS : { problem: 'intent_unknown' }
}

/** Looks for the money of an intent the way the caller asks for: by transaction, or by its amount. */
async function lookForMoney(
  { id, name, intent }: Known,
  body: z.output<typeof SettleRequest>,
  ports: ClassicPorts,
): Promise<Look> {
  const wanted = body.paymentRail ?? intent.rail
  const rail = ports.rails.find((one) => one.id === wanted)
  //  it is over, and what came is store credit: only here does its buyer learn the claim code
  if (rail === undefined && intent.notes.length > 0) return { kind: 'nothing' }
  if (rail === undefined)
    return {
      problem: 'rail_unavailable',
      ...(quoteOn(intent, wanted) !== undefined && { extra: { next: NOT_LOOKED_AT } }),
    }
  const search = { name, intent, rail }
  if (intent.quotes.length > 0 && !intent.quotes.some((quote) => quote.rail === wanted)) {
    if (body.txHash !== undefined) await showByHash(search, body.txHash, ports)
    return { problem: 'rail_mismatch' }
  }
  if (body.txHash !== undefined) {
    const { payerSignature: signature = '' } = body
    const signing = (tx: string, senders: readonly (string | null)[]) =>
      senderSigning(rail.chain, senders, { intentId: id, tx, signature })
    const look = await lookByHash(search, body.txHash, signing, ports)
    const isPart = !isProblem(look) && look.kind === 'found' && look.intent.state === 'Underpaid'
    if (!isPart || !rail.discovers) return look
    //  the same request again after the rest was sent
    const rest = await lookAround({ ...search, intent: look.intent }, 'buyer', ports)
    return isProblem(rest) || rest.kind === 'nothing' ? look : rest
  }
  return rail.discovers ? await lookAround(search, 'buyer', ports) : { kind: 'nothing' }
}

/** `lookForMoney`, except that money that does not pay leaves an already paid intent paid. */
export async function lookUnlessPaid(
  known: Known,
  body: z.output<typeof SettleRequest>,
  ports: ClassicPorts,
): Promise<Look> {
  const { name, intent } = known
  if (intent.confirmedMs !== null && body.txHash === undefined) return { kind: 'found', intent }
  const look = await lookForMoney(known, body, ports)
  if (!isProblem(look) && look.kind === 'found') return look
  if (intent.state === 'Seen' && intent.seen !== null) await lookAtSeen(name, intent.seen, ports)
  if (!isProblem(look) && look.kind === 'waits') return look
  const now = await readIntent(name, ports) //  another look may have found it while this one was under way
  if (now?.intent.confirmedMs == null) return look
  return { kind: 'found', intent: now.intent, ...(isProblem(look) && { refused: look }) }
}
