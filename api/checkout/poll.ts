import { describeError, UnavailableError } from '../../ops/errors.ts'
import { type RefreshPorts, refresh } from './refresh.ts'

const BATCH = 50

/**
 * Looks after open checkouts whose buyer and whose events are gone. One round, safe to run twice; ends at once when
 * ledger or provider do not answer.
 */
export async function pollCheckouts(ports: Omit<RefreshPorts, 'goods'>, nowMs: number): Promise<void> {
  for (const digest of await ports.cards.due(nowMs, BATCH)) {
    const checkout = await ports.cards.find(digest)
    try {
      if (checkout === null)
        await ports.cards.look(digest, 0, 0) // forgotten: takes it off the list
      else await refresh(checkout, { gapMs: 0 }, { ...ports, goods: null })
    } catch (error) {
      if (error instanceof UnavailableError) throw error
      ports.log.error({ sku: checkout?.sku, reason: describeError(error) }, 'a checkout cannot be looked at')
    }
  }
}
