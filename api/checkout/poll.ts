import { describeError, UnavailableError } from '../../ops/errors.ts'
import { MINUTE } from '../../ops/units.ts'
import { type RefreshPorts, refresh } from './refresh.ts'

const BATCH = 50
/** This many failures in a row are not the fault of one session. */
const AWAY_AFTER = 3
const FAILED_AGAIN_MS = 1 * MINUTE

/**
 * Looks after open checkouts for which no buyer polls and no event comes. One round, safe to run twice; ends if ledger
 * or provider do not answer, which a single session does not prove.
 */
export async function pollCheckouts(ports: Omit<RefreshPorts, 'goods'>, nowMs: number): Promise<void> {
  let away = 0
  for (const digest of await ports.cards.due(nowMs, BATCH)) {
    try {
      const checkout = await ports.cards.find(digest)
      if (checkout === null) await takeOff(digest, ports, nowMs)
      else await refresh(checkout, { gapMs: 0 }, { ...ports, goods: null })
      away = 0
    } catch (error) {
      if (error instanceof UnavailableError && ++away === AWAY_AFTER) throw error
      ports.log.error({ checkout: digest, reason: describeError(error) }, 'a checkout cannot be looked at')
      if (!(error instanceof UnavailableError)) await ports.cards.postpone(digest, nowMs + FAILED_AGAIN_MS)
    }
  }
}

/**
 * No checkout that is listed expires: this one is lost, and only the provider, who has it under this reference, knows
 * whether it was paid. So it stands in the list of strays until a person has looked, unless its payment is there already.
 */
async function takeOff(
  digest: string,
  { cards, log }: Pick<RefreshPorts, 'cards' | 'log'>,
  nowMs: number,
): Promise<void> {
  const isTold = (await cards.strays()).some(({ reference }) => reference === digest)
  const stray = { sessionId: `lost:${digest}`, reference: digest, sku: '', why: 'checkout_unknown' } as const
  const kept = isTold
    ? 'known'
    : await cards.keepStray({ ...stray, paymentId: null, cents: null, currency: null }, nowMs)
  if (kept !== 'known')
    log.error({ checkout: digest }, 'the ledger has lost a checkout that may have been paid')
  if (kept === 'full') await cards.postpone(digest, nowMs + FAILED_AGAIN_MS)
  else await cards.look(digest, 0, 0)
}
