import type { Address } from 'viem'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Facilitator } from './facilitator.ts'
import type { FacilitatorMetrics } from './facilitatorMetrics.ts'

export type SupportWatch = {
  /** False only after its own /supported was read without our network (FAC-15). */
  usable(): boolean
  /** False after two looks in vain, until it answers anything: nothing can be sold through it. */
  answers(): boolean
  /** It has answered a paid call. */
  heard(): void
  /** Reads it now. */
  look(): Promise<void>
  stop(): void
}

/** A single look in vain is no outage. */
const SILENT_AFTER = 2

/**
 * Asks one facilitator every minute what it supports, and every five seconds while it is silent. Silence does not say what
 * it supports: paid calls are still tried, and notice its end, but readiness speaks of it. A change of its signers is
 * counted and logged, since signers move our money.
 */
export function watchSupported(
  { name, facilitator }: { name: string; facilitator: Pick<Facilitator, 'supported'> },
  {
    network,
    log,
    metrics,
    everyMs = MINUTE,
    againMs = 5 * SECOND,
  }: { network: string; log: Log; metrics?: FacilitatorMetrics; everyMs?: number; againMs?: number },
): SupportWatch {
  let usable = true
  let inVain = 0 //  looks in a row
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let signers: Address[] | null = null
  metrics?.usable.set({ facilitator: name }, 1)

  async function look() {
    try {
      const support = await facilitator.supported()
      inVain = 0
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
      inVain++
      log.debug({ facilitator: name, reason: describeError(error) }, 'cannot read what it supports')
    }
  }
  const lookAndWait = async () => {
    await look()
    if (!isOver) timer = setTimeout(lookAndWait, inVain > 0 ? againMs : everyMs).unref()
  }
  void lookAndWait()
  return {
    usable: () => usable,
    answers: () => inVain < SILENT_AFTER,
    heard: () => {
      inVain = 0
    },
    look,
    stop: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}
