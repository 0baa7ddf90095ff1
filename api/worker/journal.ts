import type { Redis } from 'ioredis'
import { z } from 'zod'
import { clickhouseOf, connectClickhouse } from '../../ops/clickhouse.ts'
import type { Config } from '../../ops/config.ts'
import { drainStream, type StreamEntry, type TableRows } from '../../ops/drainStream.ts'
import { instant } from '../../ops/instant.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { migratedSink } from '../../ops/migratedSink.ts'
import { streamGapRows } from '../../ops/streamGaps.ts'
import { DAY } from '../../ops/units.ts'
import { KEYS } from '../ledger/keys.ts'
import type { Sale } from '../ledger/ledger.ts'
import { SoldCard } from '../ledger/soldCard.ts'

const TABLE = 'sales'
/** 010_credit_part.sql: column credit_micro. */
const MIGRATION = 10
/** Sold cards of an entry; none for entries from before cards were recorded. */
const SoldCards = z.array(SoldCard).catch([])

/**
 * One row of table `sales` per sale and reversal in the journal; a reversal has the negative amount of its sale.
 * Entries about credit (`credit`, CreditEntry) are not sales and give no row. Pure: the same entry always gives the
 * same row.
 */
export function rowsOfSale({ ms, seq, fields }: StreamEntry): TableRows[] {
  if (fields.credit !== undefined) return []
  const sale = JSON.parse(fields.sale ?? fields.reversal ?? '{}') as Sale
  return [
    {
      table: TABLE,
      rows: [
        {
          event_id: sale.eventId,
          at: instant(sale.atMs),
          sku: sale.sku,
          path: sale.path,
          purchase_path: sale.purchasePath,
          rail: sale.rail,
          chain_id: sale.chainId,
          asset: sale.asset,
          payer: sale.payer,
          amount_micro: sale.amountMicroUsdc,
          credit_micro: sale.creditMicroUsdc, //  undefined: the column's default, by the rail
          tx: sale.tx,
          log_index: sale.logIndex,
          attestation_id: sale.attestationId,
          snapshot_version: sale.snapshotVersion,
          card_ids: sale.cardIds ?? [], //  older entries have none
          cards: SoldCards.parse(sale.cards).map(cardRow),
          request_hash: sale.requestHash,
          response_hash: sale.responseHash,
          mode: sale.mode,
          stream_ms: ms,
          stream_seq: seq,
        },
      ],
    },
  ]
}

const cardRow = ({ cardId, marketMs, gapCents, edgeCents, suggestedAction, ...card }: SoldCard) => ({
  ...card,
  card_id: cardId,
  market_at: instant(marketMs),
  gap_cents: gapCents,
  edge_cents: edgeCents,
  suggested_action: suggestedAction,
})

/**
 * Copies the sales journal to ClickHouse, each sale once. The ledger also keeps a month of it, so that the copy can be
 * made again if the tables come back without it; older losses become a row of `stream_gaps`. If ClickHouse is away, the
 * journal gets longer and nothing else happens.
 */
export function copyJournal({
  redis,
  config,
  log,
  metrics,
}: {
  redis: Redis
  config: Config
  log: Log
  metrics: Metrics
}) {
  const client = connectClickhouse(clickhouseOf(config))
  const backlog = metrics.gauge('sales_journal_backlog', 'Sales not yet copied to ClickHouse')
  const lost = metrics.counter(
    'sales_journal_lost_total',
    'Sales that are neither in ClickHouse nor in the journal any longer',
  )
  const drain = drainStream({
    redis,
    stream: KEYS.sales,
    name: 'sales',
    tables: [TABLE],
    map: rowsOfSale,
    gap: streamGapRows,
    onGap: (gap) => {
      lost.inc(gap.dropped)
      log.error(gap, 'sales are lost to ClickHouse: the journal has them no longer')
    },
    sink: migratedSink(client, MIGRATION),
    log,
    retain: { ms: 30 * DAY, entries: 10_000_000, bytes: 1024 ** 3 },
    onStatus: (status) => backlog.set(status.backlogEntries),
  })
  return {
    stop: async () => {
      await drain.stop()
      await client.close()
    },
  }
}
