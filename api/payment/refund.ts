import { z } from 'zod'
import { assert } from '../../ops/errors.ts'
import { formatUsdc } from '../../ops/units.ts'
import type { Draft, Sellable } from '../goods/good.ts'
import type { Claim, Delivery } from '../ledger/ledger.ts'
import { type DeliverPorts, storeAnswer } from './deliver.ts'
import { isOutdatedClaim } from './outdated.ts'
import { REFUND_HEAD, REFUND_PATH } from './refundMark.ts'

const HEAD = '{"ok":true,'
const UNDELIVERABLE =
  'The payment settled and its answer could not be delivered; its whole price is store credit.'
const OUTDATED =
  'The payment settled when its data was older than it may be sold; its whole price is store credit.'

/**
 * Answers a settled claim that cannot be delivered: its price as store credit, with a receipt over the note that says
 * so. The note is the claim's answer from then on: sending the same payment again returns it, and with it the claim
 * code of the credit, unless the purchase named an account with its secret. What was paid with credit goes back onto
 * the account it was taken from, since nobody may ever come for the note. A payment that could have been copied from
 * the chain gets the note with a signature of the payer only (decision 011). Idempotent: one lot per claim.
 */
export async function refundClaim(claim: Claim, ports: DeliverPorts): Promise<void> {
  const { amountMicroUsdc } = claim
  const good = creditOf(claim)
  //  a claim that was void keeps no draft
  const late =
    claim.draft !== '' && (await isOutdatedClaim(claim, JSON.parse(claim.draft) as Draft, ports.ledger))
  const draft: Draft = {
    result: {
      delivered: false,
      refund: {
        reason: late ? 'outdated' : 'undeliverable',
        amountUsdc: formatUsdc(amountMicroUsdc),
        as: 'storeCredit',
        note: late ? OUTDATED : UNDELIVERABLE,
      },
    },
    snapshotVersion: null,
  }
  await storeAnswer(claim, good, draft, asRefund, ports)
}

function asRefund(delivery: Delivery): Delivery {
  assert(delivery.body.startsWith(HEAD), 'an answer begins with ok')
  return {
    ...delivery,
    body: REFUND_HEAD + delivery.body.slice(HEAD.length),
    sale: { ...delivery.sale, purchasePath: REFUND_PATH },
  }
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
