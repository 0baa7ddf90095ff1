import type { Address } from 'viem'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { MINUTE } from '../../ops/units.ts'
import type { Facilitator } from './facilitator.ts'
import type { FacilitatorMetrics } from './facilitatorMetrics.ts'

export type SupportWatch = {
  /** False only after its own /supported was read without our network (FAC-15). */
  usable(): boolean
  /** Reads it now. */
  look(): Promise<void>
  stop(): void
}

/**
 * Asks one facilitator every minute what it supports. Silence changes nothing: outages are noticed by the paid calls.
 * A change of its signers is counted and logged, since signers move our money.
 */
export function watchSupported(
  { name, facilitator }: { name: string; facilitator: Pick<Facilitator, 'supported'> },
  {
    network,
    log,
    metrics,
    everyMs = MINUTE,
  }: { network: string; log: Log; metrics?: FacilitatorMetrics; everyMs?: number },
): SupportWatch {
  let usable = true
  let signers: Address[] | null = null
  metrics?.usable.set({ facilitator: name }, 1)

  async function look() {
    try {
      const support = await facilitator.supported()
      const has = support.kinds.some(
        (kind) => kind.x402Version === 2 && kind.scheme === 'exact' && kind.network === network,
      )
      if (has !== usable) log.warn({ facilitator: name, usable: has }, 'support of our network changed')
      usable = has
      metrics?.usable.set({ facilitator: name }, has ? 1 : 0)
      const named = support.signers.toSorted()
      if (signers !== null && named.join() !== signers.join()) {
        metrics?.signers.inc({ facilitator: name })
        log.warn({ facilitator: name, signers: named.length }, 'the facilitator names other signers')
      }
      signers = named
    } catch (error) {
      log.debug({ facilitator: name, reason: describeError(error) }, 'cannot read what it supports')
    }
  }
  void look()
  const timer = setInterval(look, everyMs).unref()
  return { usable: () => usable, look, stop: () => clearInterval(timer) }
}
