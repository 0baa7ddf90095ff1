import type { Redis } from 'ioredis'
import type { Hex } from 'viem'
import { z } from 'zod'
import { JsonText } from '../../../ops/jsonText.ts'
import { intentOfClaim } from '../../ledger/intentKeys.ts'
import type { IntentLedger } from '../../ledger/intents.ts'
import { KEYS } from '../../ledger/keys.ts'
import { type ClaimKey, formerTransferKey, type Ledger, transferKey } from '../../ledger/ledger.ts'
import { brokenOrThrow } from '../../ledger/scripts.ts'
import type { Inflow } from '../../settlement/port.ts'
import type { Known } from './classes.ts'
import { JournalEntry } from './journalEntry.ts'
import type { BookId } from './tokenPlaces.ts'

/** One entry of the journal whose money is a transfer of the token. */
export type BookedSale = {
  tx: Hex
  logIndex: number
  payer: string
  microUsdc: bigint // all that came as money, also by other transfers; store credit that paid beside it is none
  receipt: string // id of its attestation
}

/** Both included. */
export type TimeSpan = { fromMs: number; untilMs: number }

/** What the ledger knows, read and never changed. A row that is broken is told as such: it must not hide the others. */
export type LedgerView = {
  known(
    transfer: Pick<Inflow, 'tx' | 'logIndex' | 'blockIndex'>,
    authorization: ClaimKey | null,
  ): Promise<Known>
  /** Sales paid in blocks of the first span and recorded in the second, except those reversed then and not restored. */
  sales(paid: TimeSpan, written: TimeSpan): Promise<BookedSale[]>
  /** Whether the books say that the money of this receipt is gone. */
  isReversed(receipt: string): Promise<boolean>
}

const PAGE = 1_000
/** What the books ask of an intent, whatever else its version holds. */
const Purchase = JsonText.pipe(
  z.object({
    state: z.string(),
    notes: z.array(z.object({ kind: z.string(), transfers: z.array(z.string()) })).default([]),
  }),
)
type Purchase = z.infer<typeof Purchase>

/** Whether all of this transfer became store credit. Of one that overpaid only the surplus did. */
const isCreditIn = ({ notes }: Purchase, transfer: string): boolean =>
  notes.some(({ kind, transfers }) => kind !== 'overpaid' && transfers.includes(transfer))

export function createLedgerView({
  redis,
  ledger,
  intents,
  chainId,
  rail = 'usdc_base',
}: {
  redis: Redis
  ledger: Pick<Ledger, 'find' | 'revokedMs'>
  intents: Pick<IntentLedger, 'find'>
  chainId: number
  rail?: BookId //  the rail whose sales are listed
}): LedgerView {
  const purchaseOf = async (owner: string | null): Promise<Purchase | 'broken' | null> => {
    const intent = owner === null ? null : intentOfClaim(owner)
    if (intent === null) return null
    const stored = await intents.find(intent).catch(brokenOrThrow)
    if (stored === null || stored === 'broken') return stored
    return Purchase.safeParse(stored.body).data ?? 'broken'
  }
  return {
    async known({ tx, logIndex, blockIndex }, authorization) {
      const name = transferKey(chainId, tx, logIndex)
      const formerName = formerTransferKey(chainId, tx, blockIndex)
      const [row, former] = await redis.mget([name, formerName].map(KEYS.spent))
      const owner = row ?? former ?? null
      const key = owner ?? authorization
      const [claim, intent] = await Promise.all([
        key === null ? null : ledger.find(key).catch(brokenOrThrow),
        purchaseOf(owner),
      ])
      if (claim === 'broken' || intent === 'broken')
        return { owner, claim: null, intentState: null, isBroken: true }
      if (intent === null) return { owner, claim, intentState: null }
      //  the purchase names its transfers as their rows are named
      const isCredit = isCreditIn(intent, row == null ? formerName : name)
      return { owner, claim, intentState: intent.state, isCredit }
    },

    async sales(paid, written) {
      const standing = new Map<string, BookedSale>()
      let start = String(Math.max(0, written.fromMs))
      const end = Number.isFinite(written.untilMs) ? String(written.untilMs) : '+'
      for (;;) {
        const entries = await redis.xrange(KEYS.sales, start, end, 'COUNT', PAGE)
        for (const [, [, text = '']] of entries) {
          const entry = JournalEntry.safeParse(text)
          if (!entry.success || entry.data.rail !== rail) continue
          const { atMs, attestationId, purchasePath, tx, logIndex, payer } = entry.data
          if (atMs < paid.fromMs || atMs > paid.untilMs) continue
          if (purchasePath === 'reversed') standing.delete(attestationId)
          else
            standing.set(attestationId, {
              tx: tx as Hex,
              logIndex,
              payer,
              receipt: attestationId,
              microUsdc: BigInt(entry.data.amountMicroUsdc) - BigInt(entry.data.creditMicroUsdc),
            })
        }
        if (entries.length < PAGE) return [...standing.values()]
        start = `(${entries.at(-1)![0]}`
      }
    },

    isReversed: async (receipt) => typeof (await ledger.revokedMs(receipt).catch(brokenOrThrow)) === 'number',
  }
}
