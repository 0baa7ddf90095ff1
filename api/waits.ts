import type { Claim, Ledger } from './ledger/ledger.ts'
import type { Settlement } from './settlement/settlement.ts'

/**
 * Waits of requests for a settlement or for confirmations, so that a closing process can end all of them: each request
 * then answers as if its time to wait were over, and the worker goes on with the payment.
 */
export type Waits = {
  /** @returns what comes of `work`, or `instead` once waits are over; `work` itself is not stopped. */
  wait<T>(work: Promise<T>, instead: T): Promise<T>
  end(): void
}

export function createWaits(): Waits {
  const ends = new Set<() => void>()
  let over = false
  return {
    wait: (work, instead) =>
      new Promise((resolve, reject) => {
        const end = () => resolve(instead)
        if (over) end()
        else ends.add(end)
        work.then(resolve, reject).finally(() => ends.delete(end))
      }),
    end() {
      over = true
      for (const end of ends) end()
    },
  }
}

/** What requests wait for. */
type Waited = {
  ledger: Ledger
  settlement: Settlement
  finality: { reached(claim: Claim): Promise<boolean> }
}

/** The same ports, except that waits end when `waits` does, as if their time were over. */
export function endable(waits: Waits, { ledger, settlement, finality }: Waited): Waited {
  return {
    ledger: {
      ...ledger,
      whenDecided: (...of) => waits.wait(ledger.whenDecided(...of), null),
    },
    settlement: {
      ...settlement,
      settle: (...of) => waits.wait(settlement.settle(...of), null),
    },
    finality: { reached: (claim) => waits.wait(finality.reached(claim), false) },
  }
}
