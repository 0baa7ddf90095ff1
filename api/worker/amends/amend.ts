import { formatUsdc } from '../../../ops/units.ts'
import type { ByHandLedger, Granted } from '../../ledger/byHand.ts'
import type { Stray, StrayLedger } from '../../ledger/strays.ts'
import { RefusedOrder } from '../books/order.ts'
import type { AmendsOrder } from './order.ts'

export type AmendsPorts = {
  strays: Pick<StrayLedger, 'strays' | 'strayDone'>
  byHand: ByHandLedger
  nowMs: number
  mode: string
  codeOf(operation: string): string //  of the credit that this operation grants
  digestOf(code: string): string
}

const REFUSED = {
  other: 'this operation granted something else before: name another one',
  taken: 'this money has paid for something already: see who has it before you give for it again',
}

/** Does what was ordered. @returns what is told, and the exit code. @throws RefusedOrder */
export async function amend(order: AmendsOrder, ports: AmendsPorts): Promise<{ text: string; code: number }> {
  const { strays, byHand, nowMs, mode } = ports
  if (order.action === 'list') {
    const open = (await strays.strays()).filter(({ done }) => done === null)
    const lines = [
      ...[
        'card payments that bought nothing here:',
        ...(open.length === 0 ? ['  none'] : open.map(strayLine)),
      ],
      ...['credit granted by hand:', ...listed((await byHand.granted()).map(grantLine))],
    ]
    return { text: `${lines.join('\n')}\n`, code: open.length === 0 ? 0 : 1 }
  }
  if (order.action === 'done') {
    if (await strays.strayDone(order.sessionId, order.reason, nowMs))
      return { text: `${order.sessionId}: seen to\n`, code: 0 }
    throw new RefusedOrder(`--done ${order.sessionId}: is not in the list`)
  }
  const { operation, money, micro, reason } = order
  const code = ports.codeOf(operation)
  const lot = ports.digestOf(code)
  const outcome = await byHand.grant({ operation, money, micro, reason, lot }, mode, nowMs)
  if (outcome === 'other' || outcome === 'taken') throw new RefusedOrder(`--credit: ${REFUSED[outcome]}`)
  if (money.startsWith('card:'))
    await strays.strayDone(money.slice('card:'.length), `credit ${operation}: ${reason}`, nowMs)
  const words = outcome === 'granted' ? 'granted' : 'was granted before'
  return {
    text: `${formatUsdc(micro)} USD ${words}. For the buyer alone, spent like every other claim code (X-Service-Claim-Code):\n${code}\n`,
    code: 0,
  }
}

const listed = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? ['  none'] : lines)
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 16)

const strayLine = ({ sessionId, why, paymentId, cents, currency, sku, keptMs }: Stray): string =>
  `  ${day(keptMs)}  ${why}  ${(cents ?? 0) / 100} ${currency ?? ''}  ${sku || '?'}  ${sessionId}  ${paymentId ?? 'no payment'}`

const grantLine = ({ operation, money, amountMicroUsdc, reason, atMs, isOpened }: Granted): string =>
  `  ${day(atMs)}  ${formatUsdc(BigInt(amountMicroUsdc))} USD  ${operation}  ${money}  ${isOpened ? 'opened' : 'not opened'}  ${reason}`
