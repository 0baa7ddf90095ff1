import type { Ledger } from '../ledger/ledger.ts'
import type { PaymentChain } from './port.ts'
import type { Settlement } from './settlement.ts'

/**
 * Settlement through our own settler: the worker takes every claim that waits in the ledger, so a process
 * that sells only has to wait for the decision. Who claimed, and whether it is a retake, makes no difference.
 */
export function createSelfSettlement({ ledger, chain }: { ledger: Ledger; chain: PaymentChain }): Settlement {
  return {
    via: 'self',
    refuse: (payment) => chain.refuse(payment),
    settle: ({ key }, waitMs) => ledger.whenDecided(key, waitMs),
  }
}
