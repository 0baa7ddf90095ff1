import { accountDigest } from '../entitlements/credit.ts'
import type { Payment } from '../settlement/port.ts'
import type { Claim, ClaimKey, ClaimState, ClaimTerms, ListedClaim } from './ledger.ts'
import { pack, unpack } from './packed.ts'
import { BrokenRowError, hasFigures } from './scripts.ts'

/** A claim as the string fields of a Redis hash, and back. */
export function claimFields(terms: ClaimTerms, payment: Payment | null): Record<string, string> {
  return {
    sku: terms.sku,
    path: terms.path,
    purchasePath: terms.purchasePath,
    via: terms.via,
    network: terms.network,
    ...(terms.rail === undefined ? {} : { rail: terms.rail }),
    asset: terms.asset,
    payTo: terms.payTo,
    payer: terms.payer,
    amount: terms.amountMicroUsdc.toString(),
    ...(terms.paid === undefined ? {} : { paid: JSON.stringify(terms.paid) }),
    snapshotVersion: terms.snapshotVersion === null ? '' : String(terms.snapshotVersion),
    ...(terms.creditTo === null ? {} : { creditHolder: JSON.stringify(terms.creditTo) }),
    draft: pack(terms.draft),
    ...(terms.foundTx === undefined ? {} : { txs: terms.foundTx }),
    ...(payment === null
      ? {}
      : { validBefore: payment.authorization.validBefore.toString(), payment: packPayment(payment) }),
  }
}

/** @throws BrokenRowError where the row cannot be read. */
export function claimFromHash(key: ClaimKey, hash: Record<string, string>): Claim | null {
  if (hash.state === undefined) return null
  try {
    return parseClaim(key, hash)
  } catch (error) {
    throw new BrokenRowError('a claim cannot be read', { cause: error })
  }
}

/** Fields of a row that a list reads: all but the draft and the answer. */
export const LISTED_FIELDS = [
  'state',
  'fp',
  'ph',
  'sku',
  'path',
  'purchasePath',
  'via',
  'network',
  'rail',
  'asset',
  'payTo',
  'payer',
  'amount',
  'paid',
  'snapshotVersion',
  'creditHolder',
  'creditTo',
  'created',
  'settledAt',
  'lease',
  'validBefore',
  'payment',
  'txs',
  'tx',
  'log',
  'block',
  'blockMs',
  'reason',
]

/** Those of LISTED_FIELDS that a row has. @param values as HMGET gives them. */
export function listedHash(values: readonly (string | null)[]): Record<string, string> {
  return Object.fromEntries(
    LISTED_FIELDS.flatMap((field, at) => {
      const value = values[at]
      return value == null ? [] : [[field, value] as const]
    }),
  )
}

/** @param claim read from a listedHash. */
export function listed(claim: Claim | null): ListedClaim | null {
  if (claim === null) return null
  const { draft: _, answer: __, ...rest } = claim
  return rest
}

/** A claim that some step is to go on with. @throws BrokenRowError also if no step could. */
export function openClaimFromHash(key: ClaimKey, hash: Record<string, string>): Claim | null {
  if (!hasFigures('claim', hash)) throw new BrokenRowError('a figure of a claim is no whole number')
  return claimFromHash(key, hash)
}

function parseClaim(key: ClaimKey, hash: Record<string, string>): Claim {
  const text = (field: string) => hash[field] ?? ''
  const tx = hash.tx
  return {
    key,
    state: hash.state as ClaimState,
    fingerprint: text('fp'),
    paymentHash: text('ph'),
    sku: text('sku'),
    path: text('path'),
    purchasePath: text('purchasePath') as Claim['purchasePath'],
    via: text('via') as Claim['via'],
    network: text('network'),
    ...(hash.rail === undefined ? {} : { rail: hash.rail }),
    asset: text('asset'),
    payTo: text('payTo'),
    payer: text('payer'),
    amountMicroUsdc: BigInt(text('amount') || '0'),
    ...(hash.paid === undefined ? {} : { paid: JSON.parse(hash.paid) }),
    snapshotVersion: text('snapshotVersion') === '' ? null : Number(text('snapshotVersion')),
    creditTo: holderOf(hash),
    draft: unpack(text('draft')),
    createdMs: Number(text('created')),
    settledMs: hash.settledAt === undefined ? null : Number(hash.settledAt),
    leaseMs: hash.lease === undefined ? null : Number(hash.lease),
    validBefore: hash.validBefore === undefined ? null : BigInt(hash.validBefore),
    payment: hash.payment === undefined ? null : unpackPayment(hash.payment),
    txs: text('txs') === '' ? [] : text('txs').split(','),
    settled:
      tx === undefined
        ? null
        : {
            tx: tx as `0x${string}`,
            logIndex: Number(text('log')),
            blockNumber: BigInt(text('block')),
            blockMs: Number(text('blockMs')),
          },
    reason: hash.reason ?? null,
    answer: hash.body === undefined ? null : { body: unpack(hash.body), paymentResponse: text('pr') },
  }
}

/** Where bought credit goes. Until 2026-11-22 `creditTo` held the account's name; such claims are still answered. */
function holderOf({ creditHolder, creditTo }: Record<string, string>): ClaimTerms['creditTo'] {
  if (creditHolder !== undefined) return JSON.parse(creditHolder)
  if (creditTo === undefined) return null
  const { account, auth } = JSON.parse(creditTo)
  return { account: accountDigest(account), auth }
}

function packPayment(payment: Payment): string {
  return JSON.stringify(payment, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

function unpackPayment(text: string): Payment {
  const payment = JSON.parse(text)
  const { value, validAfter, validBefore } = payment.authorization
  return {
    ...payment,
    authorization: {
      ...payment.authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  }
}
