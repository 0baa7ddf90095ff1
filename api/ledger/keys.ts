import type { TokenKind } from '../entitlements/token.ts'
import type { ClaimKey } from './ledger.ts'

/**
 * Names of the ledger's rows. Nothing a caller writes gets into a name: only digests, our own names and the chain's.
 * '' stands for a row that a step goes without.
 */
export const KEYS = {
  claim: (key: ClaimKey) => `claim:${key}`,
  spent: (transfer: string) => `spent:${transfer}`,
  /** Claims of the payer of this authorization that may still be open. */
  open: (key: ClaimKey) => `open:${key.slice(0, key.lastIndexOf(':'))}`,
  contenders: (transfer: string) => `contenders:${transfer}`, //  who claims that the transfer is theirs
  attestation: (id: string) => `attestation:${id}`,
  /** Mark that the money of this receipt has left the chain; holds since when. */
  revoked: (attestationId: string) => `revoked:${attestationId}`,
  grant: (issued: { kind: TokenKind; digest: string } | null) =>
    issued === null ? '' : `grant:${issued.kind}:${issued.digest}`,
  operation: (id: string) => `operation:${id}`,
  call: (name: string) => `call:${name}`, //  a call answered under a pass; expires
  /** Binds a buyer's payment id to a claim: by the digest of payer and id. */
  paymentId: (digest: string) => (digest === '' ? '' : `payment-id:${digest}`),
  claims: {
    settling: 'claims:settling',
    undelivered: 'claims:undelivered',
    watched: 'claims:watched',
    unfinal: 'claims:unfinal', //  settled, and their block is not final; score is its number
  },
  sales: 'sales', //  stream, drained to ClickHouse by the worker
  signers: 'ledger:signers', // set: ids of the keys that have signed receipts
  fence: 'settler:fence',
  settler: 'settler:state', //  the leading settler's report about itself; expires

  account: (digest: string | null) => (digest === null ? '' : `credit:account:${digest}`),
  lot: (digest: string | null) => (digest === null ? '' : `grant:credit:${digest}`),
  hold: (purchase: string | null) => (purchase === null ? '' : `credit:hold:${purchase}`),
  holds: 'credits:held',
  unanswered: (question: string | null) => (question === null ? '' : `credit:unanswered:${question}`),

  intent: (intent: string) => `intent:${intent}`,
  intents: {
    waiting: 'intents:waiting',
    unanswered: 'intents:unanswered',
    kept: 'intents:kept',
    unfinal: 'intents:unfinal',
    looked: 'intents:looked', // hash: how far each rail was looked through
  },
  buyer: (buyer: string) => `intents:of:${buyer}`,
  place: (place: string) => `intents:at:${place}`,
  site: (site: string) => `intents:around:${site}`,
  //  prices of one size draw from the same amounts: a tip may cost anything
  near: (site: string, price: bigint) => `intents:at:${site}:${price.toString(2).length}`,
  sought: 'intents:sought', //   score is the next look
  soughtOf: (intent: string) => `intent:sought:${intent}`,
  soughtFrom: (site: string) => `intents:sought:${site}`,
  amount: (amount: string) => `intent:had:${amount}`,
  formerAmount: (amount: string) => `intent:amount:${amount}`, // until 2026-11-23: its holder, as text
  seen: (transfer: string) => `intent:seen:${transfer}`,
  sale: { served: 'sale:opening:served', reserved: 'sale:opening:reserved' },

  checkout: (digest: string) => `card:checkout:${digest}`,
  checkouts: 'cards:open',
  checkoutsAt: (place: string) => `cards:at:${place}`, // payable ones; score is until when
  checkoutsAround: (site: string) => `cards:around:${site}`,
  undrawn: 'cards:undrawn', //  paid, but the answer could not be composed yet; score is since when
  checkoutsEnded: 'cards:ended', // unpaid; score is since when
  grantedByHand: 'credits:by-hand', // hash: credit that a person granted, by operation
  strays: 'cards:strays', //    hash: card money that bought nothing here, by the provider's session
  cardEvent: (id: string) => `card:event:${id}`,
  referral: (code: string) => (code === '' ? '' : `referral:${code}`),
  payouts: 'referrals:paid-out', // hash: earnings that were paid out, by operation
} as const
