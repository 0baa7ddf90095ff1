import { formatUsdc } from '../../ops/units.ts'
import { CREDIT_NETWORK } from '../entitlements/credit.ts'
import { RAIL_SPECS } from '../rails/records.ts'
import type { PaidPart } from '../receipts/attestation.ts'
import { paidMicro, payingOf } from './book.ts'
import type { Intent, Taken } from './intent.ts'
import { decimalOf } from './show.ts'

/**
 * What paid for an intent, in the units in which it moved, transfers first. null: the receipt already shows it, for it
 * was credit alone, or one transfer of a dollar token of just the amount. Pure.
 */
export function paidOf(intent: Intent): PaidPart[] | null {
  const paying = payingOf(intent)
  const [first] = paying
  if (first === undefined) return null
  const credit = intent.hold?.micro ?? 0n
  const isAll = credit === 0n && paying.length === 1
  if (isAll && RAIL_SPECS[first.rail].kind === 'token' && first.atomic === paidMicro(intent)) return null
  return [...paying.map(transferred), ...(credit === 0n ? [] : [spent(credit)])]
}

function transferred(taken: Taken): PaidPart {
  const { asset, decimals } = RAIL_SPECS[taken.rail]
  return {
    network: networkOf(taken),
    asset,
    decimals,
    amount: decimalOf(taken.atomic, decimals),
    amountAtomic: taken.atomic.toString(),
    payer: taken.from ?? '',
    payTo: taken.to,
    transaction: taken.tx,
  }
}

/** Omits the account: a receipt is public, and no chain shows to which wallet it belongs. */
const spent = (micro: bigint): PaidPart => ({
  network: CREDIT_NETWORK,
  asset: 'USD',
  decimals: 6,
  amount: formatUsdc(micro),
  amountAtomic: micro.toString(),
  payer: '',
  payTo: '',
  transaction: '',
})

/** CAIP-2 where the transfer's key has the chain id, else the chain's name. */
export function networkOf({ key, rail }: Taken): string {
  const [kind, chainId] = key.split(':')
  return kind === 'tx' ? `eip155:${chainId}` : RAIL_SPECS[rail].chain
}
