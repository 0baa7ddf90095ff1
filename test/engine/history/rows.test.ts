import { describe, expect, test } from 'vitest'
import { episodeRows, feedRows, type MapEntry } from '../../../engine/history/rows.ts'
import { at, episode, feedEvent } from './support.ts'

const entry = (fields: Record<string, string>) => ({ id: '7-3', ms: 7, seq: 3, fields })
const only = (map: MapEntry, fields: Record<string, string>) => {
  const [table, ...others] = map(entry(fields)) ?? []
  expect(others).toEqual([])
  return table
}

describe('an entry becomes one row that carries its id', () => {
  test('an episode is the row', () => {
    const row = episode('1', at(10), at(11), { category: null, half_life_ms: 0 })
    expect(only(episodeRows, { episode: JSON.stringify(row) })).toEqual({
      table: 'gap_episodes',
      rows: [{ ...row, stream_ms: 7, stream_seq: 3 }],
    })
  })
  test('a feed event has its figures in columns and the whole card as it was told', () => {
    const event = feedEvent('changed', {
      id: '1',
      openedMs: at(10),
      atMs: at(10, 5) + 7_001,
      card: { gapCents: 0, edgeCents: -0.25 },
    })
    const newer = { ...event, card: { ...event.card, fieldOfANewerVersion: 1 } }
    const { table, rows } = only(feedRows, { event: JSON.stringify(newer) })!
    expect(table).toBe('feed_events')
    expect(rows[0]).toMatchObject({
      at: '2026-11-20 10:05:07.001',
      kind: 'changed',
      topic: 'gaps',
      card_id: event.card.cardId,
      card_topic: event.card.topic,
      gap_cents: 0,
      edge_cents: -0.25,
      opened_at: '2026-11-20 10:00:00.000',
      age_ms: 307_001,
      risk_flags: event.card.riskFlags,
      snapshot_version: 1,
      pair_id: event.card.pairId,
      category: event.card.category,
      verdict: event.card.verdict,
      net_cents: event.card.netCents,
      executable: event.card.executable,
      suggested_action: event.card.suggestedAction,
      buy_venue: 'a',
      buy_bps: 4_100,
      sell_bps: 4_500,
      peak_cents: 0,
      ever_executable: true,
      stream_ms: 7,
      stream_seq: 3,
    })
    expect(JSON.parse(String(rows[0]!.card))).toEqual(newer.card)
  })
  test('DATA-18: words of a newer version are kept by an older one that drains beside it', () => {
    const event = feedEvent('opened', { id: '1', openedMs: at(1), atMs: at(1) })
    const newer = {
      ...event,
      kind: 'widened',
      topic: 'moves',
      card: { ...event.card, riskFlags: ['new_flag'], reasons: ['new_reason'], suggestedAction: 'hedge' },
    }
    expect(only(feedRows, { event: JSON.stringify(newer) })?.rows[0]).toMatchObject({
      kind: 'widened',
      topic: 'moves',
      risk_flags: ['new_flag'],
      suggested_action: 'hedge',
    })
  })
  test('a card without an open gap has no life', () => {
    const event = feedEvent('opened', { id: '1', openedMs: 0, atMs: at(1), card: { life: null } }, 'edges')
    expect(only(feedRows, { event: JSON.stringify(event) })?.rows[0]).toMatchObject({
      topic: 'edges',
      opened_at: null,
      age_ms: null,
      peak_cents: null,
      ever_executable: null,
    })
  })
})

describe('what does not follow its contract is no row', () => {
  const good = feedEvent('opened', { id: '1', openedMs: at(1), atMs: at(1) })
  const wrong: [string, MapEntry, Record<string, string>][] = [
    ['no field', feedRows, {}],
    ['no JSON', feedRows, { event: '{' }],
    ['another field', feedRows, { episode: JSON.stringify(good) }],
    ['no kind', feedRows, { event: JSON.stringify({ ...good, kind: undefined }) }],
    ['no card', feedRows, { event: JSON.stringify({ ...good, card: null }) }],
    ['no field', episodeRows, {}],
    [
      'an instant of another form',
      episodeRows,
      { episode: JSON.stringify({ ...episode('1', at(1), at(2)), closed_at: 'x' }) },
    ],
    [
      'a figure as text',
      episodeRows,
      { episode: JSON.stringify({ ...episode('1', at(1), at(2)), peak_cents: '5' }) },
    ],
  ]
  test.each(wrong)('%s', (_, map, fields) => {
    expect(map(entry(fields))).toBeNull()
  })
})
