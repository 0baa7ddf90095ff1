import { describe, expect, test } from 'vitest'
import { archiveRows } from '../../../ingest/archive/rows.ts'
import type { Market } from '../../../ingest/contract/market.ts'
import type { Batch, Sweep } from '../../../ingest/contract/stream.ts'
import { instant } from '../../../ops/instant.ts'
import { eventB, mapOne, marketB, readEventsB, SEEN_MS } from '../support/rows.ts'

const row = mapOne(readEventsB([eventB([marketB()])]))
if (typeof row === 'string') throw new Error(row)
const { market, quote } = row
const entry = (batch: Batch | unknown) => ({
  id: `${SEEN_MS + 12}-3`,
  ms: SEEN_MS + 12,
  seq: 3,
  fields: { batch: JSON.stringify(batch) },
})
const changes = { kind: 'changes', venue: 'b', markets: [market], quotes: [quote], closed: ['X'] } as const

describe('a batch of the stream becomes rows that carry its id', () => {
  test('changes: markets, quotes and closings', () => {
    const tables = archiveRows(entry(changes))
    expect(tables?.map(({ table, rows }) => [table, rows.length])).toEqual([
      ['markets', 1],
      ['quotes', 1],
      ['closings', 1],
    ])
    for (const { rows } of tables!) expect(rows[0]).toMatchObject({ stream_ms: SEEN_MS + 12, stream_seq: 3 })
    expect(tables![1]!.rows[0]).toEqual({
      venue: 'b',
      market_id: 'KXFEDDECISION-26DEC-C25',
      seen_at: '2026-08-22 01:12:21.000',
      bid_bps: 4100,
      ask_bps: 4300,
      bid_size: 1200,
      ask_size: 88.5,
      last_bps: 4200,
      previous_bps: 4000,
      change_hour_bps: null,
      change_day_bps: null,
      change_week_bps: null,
      volume_24h: 10250,
      venue_lag_ms: null,
      stream_lag_ms: 12,
      stream_ms: SEEN_MS + 12,
      stream_seq: 3,
    })
  })
  test('each field of a market is in its own column', () => {
    const told: Market = {
      venue: 'b',
      marketId: 'market',
      eventId: 'event',
      seriesId: 'series',
      eventTitle: 'title of the event',
      title: 'title',
      outcome: 'outcome',
      yesMeans: 'yes',
      noMeans: 'no',
      exclusive: true,
      placeholder: false,
      rules: 'rules',
      category: 'category',
      tags: ['tag'],
      strike: { type: 'between', floor: 1, cap: 2 },
      slug: 'slug',
      marketSlug: 'slug of the market',
      url: 'url',
      tokenId: 'token',
      openMs: 1_000,
      closeMs: 2_000,
      expectedMs: 3_000,
      gameMs: 4_000,
      fees: { rate: 0.07, exponent: 3, rounding: 'b_cent_up', flagged: true },
    }
    expect(archiveRows(entry({ ...changes, markets: [told] }))![0]!.rows).toEqual([
      {
        venue: 'b',
        market_id: 'market',
        event_id: 'event',
        series_id: 'series',
        event_title: 'title of the event',
        title: 'title',
        outcome: 'outcome',
        yes_means: 'yes',
        no_means: 'no',
        exclusive: true,
        placeholder: false,
        rules: 'rules',
        category: 'category',
        tags: ['tag'],
        strike_type: 'between',
        strike_floor: 1,
        strike_cap: 2,
        slug: 'slug',
        market_slug: 'slug of the market',
        url: 'url',
        token_id: 'token',
        open_at: '1970-01-01 00:00:01.000',
        close_at: '1970-01-01 00:00:02.000',
        expected_at: '1970-01-01 00:00:03.000',
        game_at: '1970-01-01 00:00:04.000',
        fee_rate: 0.07,
        fee_exponent: 3,
        fee_rounding: 'b_cent_up',
        fee_flagged: true,
        stream_ms: SEEN_MS + 12,
        stream_seq: 3,
      },
    ])
  })
  test('each change of a quote is in its own column, the volume in whole dollars or contracts', () => {
    const told = { ...quote, changeHourBps: 1, changeDayBps: 2, changeWeekBps: 3, volume24h: 7.5 }
    expect(archiveRows(entry({ ...changes, quotes: [told] }))![1]!.rows[0]).toMatchObject({
      change_hour_bps: 1,
      change_day_bps: 2,
      change_week_bps: 3,
      volume_24h: 8,
    })
  })
  test('a venue’s clock is kept as its distance', () => {
    const venueMs = SEEN_MS - 1_500
    const tables = archiveRows(entry({ ...changes, quotes: [{ ...quote, venueMs }] }))
    expect(tables![1]!.rows[0]).toMatchObject({ venue_lag_ms: 1_500 })
  })
  test('a sweep', () => {
    const sweep: Sweep = {
      venue: 'a',
      sweepId: 7,
      startedMs: 0,
      finishedMs: 1,
      changedMs: 2,
      complete: false,
      problem: 'empty',
      markets: 3,
      pages: 1,
      dropped: { not_tradable: 2 },
    }
    expect(archiveRows(entry({ kind: 'sweep', venue: 'a', sweep }))).toEqual([
      {
        table: 'sweeps',
        rows: [
          {
            venue: 'a',
            sweep_id: 7,
            started_at: '1970-01-01 00:00:00.000',
            finished_at: '1970-01-01 00:00:00.001',
            changed_at: '1970-01-01 00:00:00.002',
            complete: false,
            problem: 'empty',
            markets: 3,
            pages: 1,
            dropped: { not_tradable: 2 },
            stream_ms: SEEN_MS + 12,
            stream_seq: 3,
          },
        ],
      },
    ])
  })
  test('books are not archived', () => {
    expect(archiveRows(entry({ kind: 'books', venue: 'a', books: [] }))).toEqual([])
  })
  test.each([['not JSON'], ['null'], ['{}'], ['{"kind":"changes"}'], ['7']])('%s is no batch', (batch) => {
    expect(archiveRows({ id: '1-1', ms: 1, seq: 1, fields: { batch } })).toBeNull()
  })
  test('an entry without a batch is none', () => {
    expect(archiveRows({ id: '1-1', ms: 1, seq: 1, fields: {} })).toBeNull()
  })
})

test('an instant is UTC to the millisecond', () => {
  expect(instant(Date.UTC(2026, 1, 3, 4, 5, 6, 7))).toBe('2026-02-03 04:05:06.007')
})
