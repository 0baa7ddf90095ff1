import type { MatchPrecision } from '../../engine/contract/matchPrecision.ts'
import type { Mode } from '../../ops/mode.ts'
import type { CatalogRecord } from '../catalog/record.ts'
import type { Good } from '../goods/good.ts'
import type { Limit } from '../http/limits.ts'
import type { Terms } from '../payment/challenge.ts'
import type { Rails } from '../rails/index.ts'
import type { KeyRing } from '../receipts/keyRing.ts'
import type { SettlerRecord } from './settlerRecord.ts'

/**
 * All that a surface may say about this service, fixed from start to stop. Every document, page and description is made
 * of this and of nothing else, so that no two of them can disagree.
 */
export type Facts = {
  publicUrl: string //                 origin without a slash at its end
  mode: Mode
  recorded: boolean //                 markets are a recording
  testWallet: boolean //               on a development chain: people without a wallet are lent one (sandboxWallet.ts)
  goods: readonly Good<unknown>[] //   sold by GET
  catalog: readonly CatalogRecord[] // all there is in the catalog, goods included
  terms: Terms //                      of every 402; `secret` must be held back
  receiptKeys: KeyRing //              every key that receipts are verified with
  rails: Pick<Rails, 'rails' | 'unavailable' | 'deposits'>
  settler: SettlerRecord
  marketMaxAgeMs: number //            older market data is not sold
  answerTtlMs: number //               how long the answer of a payment can be fetched again
  rates: readonly Limit[] //           how often one caller may call
  openingSale: boolean //              active
  cardCheckout: boolean //             card payment is configured
  matchPrecision: MatchPrecision
  securityContact: string | null //    mailto: or https:, of security.txt
  ownershipProofs: readonly string[] // signatures over publicUrl by the receiver of the money
}
