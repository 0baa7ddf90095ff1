import type { Hex } from 'viem'
import type { ChainRefusal, Payment, Settled, SettleJob, SettleLedger } from '../../../api/settlement/port.ts'
import { until } from '../../support/process.ts'

type Row = SettleJob & { settled: Settled | null; refused: ChainRefusal | 'taken' | null }

/** What happened to the ledger, in order: the settler's promises are checked on it. */
export type LedgerEvent =
  | { kind: 'broadcast'; keys: string[]; tx: Hex }
  | { kind: 'settled'; key: string; tx: Hex; outcome: string }
  | { kind: 'refused'; key: string; reason: string }

export type MemoryLedger = SettleLedger & {
  add(key: string, payment: Payment): void
  row(key: string): Row
  events: LedgerEvent[]
  /** Runs before each call; throw in it to play a store that is down or a lost lease. */
  onCall: (method: keyof SettleLedger) => void | Promise<void>
  /** Resolves when every job is settled or refused. */
  quiet(timeoutMs?: number): Promise<void>
}

/** The ledger's side of the settler's port, in memory, with the rules of the real one. */
export function createMemoryLedger(): MemoryLedger {
  const rows = new Map<string, Row>()
  const spent = new Map<string, string>()
  const open = () => [...rows.values()].filter(({ settled, refused }) => settled === null && refused === null)
  const row = (key: string) => {
    const found = rows.get(key)
    if (found === undefined) throw new Error(`no job ${key}`)
    return found
  }
  const ledger: MemoryLedger = {
    events: [],
    onCall: () => {},
    add: (key, payment) =>
      rows.set(key, {
        key,
        payment,
        createdMs: Date.now(),
        txs: [],
        elsewhere: false,
        settled: null,
        refused: null,
      }),
    row,
    async pending(max) {
      await ledger.onCall('pending')
      return open()
        .slice(0, max)
        .map(({ settled: _, refused: __, ...job }) => ({ ...job, txs: [...job.txs] }))
    },
    async recordBroadcast(keys, tx) {
      await ledger.onCall('recordBroadcast')
      for (const key of keys) row(key).txs.push(tx)
      ledger.events.push({ kind: 'broadcast', keys, tx })
    },
    async recordSettled(key, settled) {
      await ledger.onCall('recordSettled')
      const target = row(key)
      const log = `${settled.tx}:${settled.logIndex}`
      const owner = spent.get(log)
      let outcome: 'recorded' | 'already' | 'taken' = 'recorded'
      if (target.settled !== null) outcome = 'already'
      else if (owner !== undefined && owner !== key) {
        outcome = 'taken'
        target.refused = 'taken'
      } else {
        spent.set(log, key)
        target.settled = settled
        target.refused = null
      }
      ledger.events.push({ kind: 'settled', key, tx: settled.tx, outcome })
      return outcome
    },
    async recordRefused(key, reason) {
      await ledger.onCall('recordRefused')
      if (row(key).settled === null) row(key).refused ??= reason
      ledger.events.push({ kind: 'refused', key, reason })
    },
    quiet: async (timeoutMs = 20_000) => {
      await until('every job is decided', () => open().length === 0, timeoutMs)
    },
  }
  return ledger
}
