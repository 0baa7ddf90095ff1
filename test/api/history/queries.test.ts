import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { historyJson } from '../../../api/history/page.ts'
import { EXAMPLE_QUERIES } from '../../../api/history/queries.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { instant } from '../../../ops/instant.ts'
import { SECOND } from '../../../ops/units.ts'
import {
  AHEAD_MS,
  at,
  cardIdOf,
  drained,
  end,
  episode,
  historyDrained,
  pairOf,
  sell,
} from '../../engine/history/support.ts'
import { type Story, tellStory } from './support.ts'

let story: Story
beforeAll(async () => {
  story = await tellStory()
})
afterAll(() => story?.stop())

type Row = Record<string, unknown>
const GIVEN: Record<string, string> = { day: '2026-11-20', pair: pairOf('1') }

/** As an analyst would send it. */
async function asAnalyst(sql: string, params: Record<string, string> = {}): Promise<Row[]> {
  const client = story.clickhouse.client({
    username: 'analyst',
    password: story.clickhouse.analystPassword,
    database: 'microdata',
  })
  const answer = await client.query({ query: sql, query_params: params, format: 'JSONEachRow' })
  return answer.json<Row>()
}
async function asOwner(sql: string): Promise<Row[]> {
  const client = story.clickhouse.client({ database: 'microdata' })
  return (await client.query({ query: sql, format: 'JSONEachRow' })).json<Row>()
}
const day = (ms: number) => instant(ms).slice(0, 10)

/** What each query has to find in the story. */
const FOUND: Record<string, Row[]> = {
  'widest-gaps': [
    {
      topic: 'Topic 1',
      category: 'Economics',
      opened_at: '2026-11-20 10:00:00.000',
      open_s: 1_800,
      peak_cents: 8,
      half_life_ms: 600_000,
      ever_executable: true,
      why_closed: 'narrowed',
    },
    { topic: 'Topic 3', category: null, verdict: 'inverted', open_s: 60 },
    { topic: 'Topic 1', open_s: 600, peak_cents: 3, half_life_ms: null, why_closed: 'unquoted' },
  ],
  'gap-lives': [
    { category: 'Economics', gaps: 2, share_narrowed: 0.5, share_executable: 0.5, widest: 8 },
    { category: '', gaps: 1, share_narrowed: 1, share_executable: 0, widest: 5, typical_life_s: 60 },
  ],
  'half-life-by-hour': [
    { hour: 10, gaps: 1, halved: 1, median_half_life_s: 600 },
    { hour: 14, gaps: 1, halved: 0 },
    { hour: 15, gaps: 1, halved: 0 },
  ],
  'reopening-pairs': [
    { pair_id: pairOf('1'), question: 'Topic 1', times: 2, mean_peak_cents: 5.5, mean_life_s: 1_200 },
  ],
  'best-edges': [
    {
      card_id: cardIdOf('1', at(10)),
      best_edge_cents: 5,
      best_at: '2026-11-20 10:05:00.000',
      action_then: 'buy_a_sell_b',
      flags_then: ['flickering'],
    },
  ],
  'flags-and-persistence': [
    { flag: 'settles_differently', gaps: 1, median_life_s: 1_800, share_narrowed: 1 },
    { flag: 'young_gap', gaps: 1, median_life_s: 1_800, share_narrowed: 1 },
  ],
  'side-by-side': [
    { hour: '2026-11-20 10:00:00', a_bps: 3950.5, b_bps: 4550, gap_cents: 6 },
    { hour: '2026-11-20 11:00:00', a_bps: 4650, b_bps: 4600, gap_cents: 0.5 },
    { hour: '2026-11-20 12:00:00', a_bps: 4650, b_bps: 4600, gap_cents: 0.5 },
    { hour: '2026-11-20 13:00:00', a_bps: 4650, b_bps: 4600, gap_cents: 0.5 },
    { hour: '2026-11-20 14:00:00', a_bps: 4700, b_bps: 4600, gap_cents: 1 },
  ],
  'busiest-markets': [
    { venue: 'a', market_id: 'A1', title: 'Will 1 happen?', range_cents: 7.495, changes: 5 },
    { venue: 'b', market_id: 'KXB-1', title: 'Does 1 happen?', range_cents: 0.5, changes: 2 },
    { venue: 'a', market_id: 'A2', range_cents: 0, changes: 1 },
    { venue: 'b', market_id: 'KXB-2', range_cents: 0, changes: 1 },
  ],
  'track-record': [
    {
      mode: 'sandbox',
      suggested_action: 'buy_a_sell_b',
      verdict: 'identity',
      sold: 2,
      ended: 2,
      narrowed: 2,
      gap_when_sold_cents: 6,
      gap_when_closed_cents: 1,
      closed_after_s: 1_560,
    },
    { suggested_action: 'unknown', verdict: 'identity', sold: 1, ended: 1, narrowed: 0 },
    { suggested_action: 'unknown', verdict: 'unknown', sold: 1, ended: 0, gap_when_sold_cents: null },
    {
      suggested_action: 'watch',
      verdict: 'inverted',
      sold: 1,
      ended: 0,
      gap_when_sold_cents: 3,
      closed_after_s: null,
    },
  ],
  'venue-freshness': [
    { venue: 'a', day: '2026-11-20', complete_sweeps: 3, failed: 1, longest_wait_s: 240 },
    //  the wait began at its only complete sweep and still goes on
    { venue: 'b', complete_sweeps: 1, failed: 1, longest_wait_s: 120, usual_problem: 'page_missing' },
  ],
}

describe('the ten example queries, sent as the analyst, find what was told', () => {
  test('there are ten, each with its own name, and each is tried', () => {
    expect(EXAMPLE_QUERIES.map(({ name }) => name).sort()).toEqual(Object.keys(FOUND).sort())
    expect(EXAMPLE_QUERIES).toHaveLength(10)
  })
  test('and so is that of the example of how to ask', async () => {
    const { example } = historyJson({ database: 'microdata', tables: [] }).access
    const [, sql] = /-d '(.*)'$/s.exec(example)!
    expect(await asAnalyst(sql!, { day: '2026-11-20' })).toEqual([{ 'count()': 3 }])
  })
  test.each(EXAMPLE_QUERIES.map((query) => [query.name, query] as const))('%s', async (name, query) => {
    for (const param of Object.keys(query.params)) expect(GIVEN).toHaveProperty(param)
    const params = Object.fromEntries(Object.keys(query.params).map((param) => [param, GIVEN[param]!]))
    const rows = await asAnalyst(query.sql, params)
    expect(rows).toMatchObject(FOUND[name]!)
    expect(rows).toHaveLength(FOUND[name]!.length)
  })
  test.each(
    EXAMPLE_QUERIES.filter(({ params }) => 'day' in params).map((query) => [query.name, query] as const),
  )('%s: nothing happened on another day', async (_, { sql }) => {
    expect(await asAnalyst(sql, { day: '2026-11-19' })).toEqual([])
  })
  test.each([
    ['widest-gaps', '2026-11-21', 0],
    ['best-edges', '2026-11-21', 0],
    ['busiest-markets', '2026-11-21', 0],
    ['gap-lives', '2026-12-19', 2],
    ['gap-lives', '2026-12-20', 0], //  the query covers the 30 days up to that day
  ])('%s of %s: %d', async (name, of, found) => {
    const { sql } = EXAMPLE_QUERIES.find((query) => query.name === name)!
    expect(await asAnalyst(sql, { day: of })).toHaveLength(found)
  })
})

describe('told more than once, or the other way round', () => {
  const sqlOf = (name: string) => EXAMPLE_QUERIES.find((query) => query.name === name)!.sql
  test('of an inverted pair the mid of b is turned round', async () => {
    expect(await asAnalyst(sqlOf('side-by-side'), { pair: pairOf('3') })).toEqual([
      { hour: '2026-11-20 10:00:00', a_bps: 4050, b_bps: 5450, gap_cents: 14 },
    ])
  })
  test('a gap that is still open, so that history has no episode of its pair yet, is shown as well', async () => {
    expect(await asAnalyst(sqlOf('side-by-side'), { pair: pairOf('2') })).toEqual([
      { hour: '2026-11-20 10:00:00', a_bps: 4050, b_bps: 5450, gap_cents: 14 },
    ])
    expect(await asAnalyst(sqlOf('side-by-side'), { pair: pairOf('9') })).toEqual([])
  })
  test('a market whose text was edited is one market, with its newest text', async () => {
    const client = story.clickhouse.client({ database: 'microdata' })
    for (const query of [
      'SYSTEM STOP MERGES markets',
      `INSERT INTO markets SELECT * REPLACE ('Will 2 happen at all?' AS title, stream_ms + 1 AS stream_ms) FROM markets FINAL WHERE market_id = 'A2'`,
    ])
      await client.command({ query })
    const rows = await asAnalyst(sqlOf('busiest-markets'), GIVEN)
    expect(rows.map(({ market_id, title }) => [market_id, title])).toEqual([
      ['A1', 'Will 1 happen?'],
      ['KXB-1', 'Does 1 happen?'],
      ['A2', 'Will 2 happen at all?'],
      ['KXB-2', 'Does 2 happen?'],
    ])
  })
})

describe('the track record: how a gap stood when its card was sold, and how it ended', () => {
  test('each card of each sale, with the figures told last before it', async () => {
    const rows = await asOwner('SELECT * FROM sold_cards ORDER BY sold_at, card_id')
    const sold = (ms: number) => ({ sold_at: instant(ms + AHEAD_MS), mode: 'sandbox' })
    const ended = {
      verdict: 'identity',
      opened_at: '2026-11-20 10:00:00.000',
      closed_at: '2026-11-20 10:30:00.000',
      peak_cents: 8,
      gap_when_closed_cents: 1,
      half_life_ms: 600_000,
      ever_executable: true,
      why_closed: 'narrowed',
      suggested_action: 'buy_a_sell_b',
    }
    const unknown = { verdict: null, suggested_action: null, gap_when_sold_cents: null, closed_at: null }
    const open = { closed_at: null, why_closed: null, peaked_after_sale: null, closed_after_ms: null }
    expect(rows).toMatchObject([
      {
        ...sold(at(10, 2)),
        ...ended,
        sold_market_at: '2026-11-20 10:02:00.000',
        gap_when_sold_cents: 4,
        edge_when_sold_cents: 2,
        peaked_after_sale: true,
        closed_after_ms: 1_680_000,
      },
      {
        ...sold(at(10, 6)),
        ...ended,
        sold_market_at: '2026-11-20 10:06:00.000',
        gap_when_sold_cents: 8,
        edge_when_sold_cents: 5,
        peaked_after_sale: false,
        closed_after_ms: 1_440_000,
      },
      { ...sold(at(10, 6)), card_id: 'a:A9|b:KXB-9@0', ...unknown },
      {
        ...sold(at(11, 5)),
        ...open,
        verdict: 'inverted',
        gap_when_sold_cents: 3,
        opened_at: '2026-11-20 11:00:00.000',
      },
      {
        ...sold(at(14, 5)),
        verdict: 'identity',
        opened_at: '2026-11-20 14:00:00.000',
        why_closed: 'unquoted',
      },
    ])
    expect(rows).toHaveLength(5)
  })
  test('counted by day, verdict and suggested action', async () => {
    const rows = await asAnalyst(
      "SELECT * FROM track_record WHERE verdict = 'identity' AND suggested_action != 'unknown'",
    )
    expect(rows).toMatchObject([
      {
        day: day(at(10, 2) + AHEAD_MS),
        sold: 2,
        cards: 1,
        ended: 2,
        narrowed: 2,
        ever_executable: 2,
        peaked_after_sale: 1,
        median_half_life_s: 600,
        median_closed_after_s: 1_560,
        median_gap_when_sold_cents: 6,
        median_gap_when_closed_cents: 1,
      },
    ])
    expect(rows).toHaveLength(1)
  })
  test('a sale of nothing with a card is a sale without cards, of before there were any, too', async () => {
    expect(await asOwner('SELECT sku, card_ids FROM sales ORDER BY at DESC LIMIT 1, 2')).toEqual([
      { sku: 'SKU_BOT_FUEL', card_ids: [] },
      { sku: 'SKU_PING', card_ids: [] },
    ])
  })
})

describe('bars of the mid', () => {
  test('first, highest, lowest and last mid of an hour; crossed and one-sided quotes have none', async () => {
    expect(
      await asAnalyst("SELECT * FROM quote_bars WHERE venue = 'a' AND market_id = 'A1' ORDER BY hour"),
    ).toMatchObject([
      { open_bps: 4050, high_bps: 4250, low_bps: 3950.5, close_bps: 3950.5, volume_24h: 2_000, quotes: 3 },
      { open_bps: 4650, high_bps: 4650, low_bps: 4650, close_bps: 4650, quotes: 1 },
      { open_bps: 4700, high_bps: 4700, low_bps: 4700, close_bps: 4700, quotes: 1 },
    ])
  })
  test('of gaps by day: those that halved have a half-life', async () => {
    const rows = await asAnalyst('SELECT * FROM gap_days ORDER BY category DESC')
    expect(rows).toMatchObject([
      {
        day: '2026-11-20',
        category: 'Economics',
        episodes: 2,
        narrowed: 1,
        ever_executable: 1,
        widest_cents: 8,
        median_peak_cents: 3,
        p90_peak_cents: 8,
        median_life_s: 600,
        p90_life_s: 1_800,
        median_half_life_s: 600,
      },
      { category: '', widest_cents: 5, p90_peak_cents: 5, median_life_s: 60, median_half_life_s: null },
    ])
  })
  test('of what the feed told, by hour', async () => {
    expect(await asAnalyst('SELECT * FROM feed_hours ORDER BY hour, topic, kind')).toEqual([
      { hour: '2026-11-20 10:00:00', topic: 'edges', kind: 'opened', events: 1, trades: 0 },
      { hour: '2026-11-20 10:00:00', topic: 'gaps', kind: 'changed', events: 1, trades: 1 },
      { hour: '2026-11-20 10:00:00', topic: 'gaps', kind: 'closed', events: 1, trades: 1 },
      { hour: '2026-11-20 10:00:00', topic: 'gaps', kind: 'opened', events: 1, trades: 1 },
      { hour: '2026-11-20 11:00:00', topic: 'gaps', kind: 'opened', events: 1, trades: 0 },
      { hour: '2026-11-21 00:00:00', topic: 'gaps', kind: 'closed', events: 1, trades: 1 },
    ])
  })
})

describe('means are not cut to whole numbers', () => {
  const found = async (name: string) =>
    asAnalyst(EXAMPLE_QUERIES.find((query) => query.name === name)!.sql, GIVEN)

  test('gap-lives: gaps of less than two seconds', async () => {
    for (const [id, ms, verdict] of [
      ['7', 500, 'identity'],
      ['9', 750, 'inverted'],
      ['8', 1_500, 'identity'],
    ] as const)
      await end(story.redis, episode(id, at(16), at(16) + ms, { category: 'Weather', verdict }))
    await historyDrained(story.redis)
    const rows = await found('gap-lives')
    const { typical_life_s, gaps } = rows.find(({ category }) => category === 'Weather')!
    expect([Number(gaps), typical_life_s]).toEqual([3, 0.6]) //  medians 0.5 of two, 0.75 of one
  })

  const sold = (id: string, gapCents: number, marketMs = at(17)) => ({
    cardId: cardIdOf(id, marketMs),
    marketMs,
    verdict: 'identity',
    category: null,
    gapCents,
    edgeCents: 1,
    suggestedAction: 'avoid',
    executable: false,
  })
  test('track-record: cents of cards that were sold; what has not ended has no gap then', async () => {
    const cards = [sold('7', 0.1), sold('8', 3.4)]
    await sell(
      story.redis,
      at(17, 1),
      cards.map(({ cardId }) => cardId),
      { cards },
    )
    await drained(story.redis, KEYS.sales, 'sales')
    const rows = await found('track-record')
    expect(rows.find(({ suggested_action }) => suggested_action === 'avoid')).toMatchObject({
      sold: 2,
      gap_when_sold_cents: 1.75,
      gap_when_closed_cents: null,
    })
  })

  test('track-record: how soon, each day by how many ended in our sight', async () => {
    const days = [
      [at(18), [10, 20, 30]], //  seconds after the sale
      [at(30), [60]],
    ] as const
    for (const [ms, ends] of days) {
      const ids = ends.map((_, index) => `1${index}`)
      const cards = [...ids, '9'].map((id) => ({ ...sold(id, 4, ms), verdict: 'inverted' }))
      await end(story.redis, episode('9', ms, ms, { why_closed: 'unwatched' }))
      for (const [index, s] of ends.entries())
        await end(story.redis, episode(ids[index]!, ms, ms + s * SECOND, { why_closed: 'gone' }))
      await sell(
        story.redis,
        ms,
        cards.map(({ cardId }) => cardId),
        { cards },
      )
    }
    await historyDrained(story.redis)
    await drained(story.redis, KEYS.sales, 'sales')
    const rows = await found('track-record')
    expect(rows.find((row) => row.suggested_action === 'avoid' && row.verdict === 'inverted')).toMatchObject({
      sold: 6,
      ended: 6,
      closed_after_s: 30,
    })
  })
})
