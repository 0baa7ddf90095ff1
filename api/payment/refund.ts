import { z } from 'zod'
import { assert } from '../../ops/errors.ts'
import { formatUsdc } from '../../ops/units.ts'
import { issueWith } from '../entitlements/issue.ts'
import type { Draft, Sellable } from '../goods/good.ts'
import type { Claim } from '../ledger/ledger.ts'
import { composeDelivery } from './answer.ts'
import type { DeliverPorts } from './deliver.ts'
import { REFUND_HEAD } from './refundMark.ts'

const HEAD = '{"ok":true,'

/**
 * Answers a settled claim that cannot be delivered: its price as store credit, with a receipt over the note that says
 * so. The note is the claim's answer from then on: who sends the same payment again gets it, and with it the claim
 * code of the credit, unless the purchase named an account with its secret. A payment that could have been copied from the
 * chain gets it with a signature of the payer only (decision 011). Idempotent: one lot per claim.
 */
export async function refundClaim(claim: Claim, ports: DeliverPorts): Promise<void> {
  const { settled, amountMicroUsdc } = claim
  assert(settled !== null, 'only settled claims are refunded')
  const good = creditOf(claim)
  const draft: Draft = {
    result: {
      delivered: false,
      refund: {
        reason: 'undeliverable',
        amountUsdc: formatUsdc(amountMicroUsdc),
        as: 'storeCredit',
        note: 'The payment settled and its answer could not be delivered; its whole price is store credit.',
      },
    },
    snapshotVersion: null,
  }
  const issued = await issueWith(claim, good, ports)
  const delivery = composeDelivery({ ...claim, settled }, good, draft, issued, ports.answers)
  assert(delivery.body.startsWith(HEAD), 'an answer begins with ok')
  await ports.ledger.deliver(claim.key, {
    ...delivery,
    body: REFUND_HEAD + delivery.body.slice(HEAD.length),
    sale: { ...delivery.sale, purchasePath: 'refunded' },
  })
}

/** The refund as something sold: as much credit as was paid. */
const creditOf = ({ sku, amountMicroUsdc }: Claim): Sellable<unknown> => ({
  sku,
  title: 'Refund',
  description: 'The price of a sale that could not be delivered, as store credit.',
  listPriceMicroUsdc: amountMicroUsdc,
  priceMicroUsdc: amountMicroUsdc,
  input: z.unknown(),
  answer: () => ({ problem: 'undeliverable' }),
  creditMicroUsdc: amountMicroUsdc,
})
