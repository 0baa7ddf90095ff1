/** A query that an analyst can send unchanged; parameters are in braces (`&param_day=2026-11-21`). */
export type ExampleQuery = {
  name: string //                        stable, for links
  title: string
  answers: string
  params: Record<string, string> //      name → what to give
  sql: string
}

const DAY = { day: 'a day, UTC, market clock: 2026-11-21' }

/**
 * Shown on the schema page; a test runs each of them as the analyst. Weighted means are written as sums, because
 * `avgWeighted` cuts a figure to whole numbers where the weight is one.
 */
export const EXAMPLE_QUERIES: readonly ExampleQuery[] = [
  {
    name: 'widest-gaps',
    title: 'The widest gaps of a day',
    answers:
      'Which gaps opened on a day, how wide and how long, and whether anybody could have acted on them.',
    params: DAY,
    sql: `SELECT topic, category, verdict, opened_at, round(life_ms / 1000) AS open_s, peak_cents, half_life_ms, ever_executable, why_closed
FROM gap_episodes
WHERE opened_at >= {day:Date} AND opened_at < {day:Date} + 1
ORDER BY peak_cents DESC, episode_id
LIMIT 20`,
  },
  {
    name: 'gap-lives',
    title: 'How long gaps live, by category',
    answers: 'Where gaps close within seconds and where they stand for hours, over the 30 days up to a day.',
    params: DAY,
    sql: `SELECT category, sum(episodes) AS gaps, round(sum(narrowed) / gaps, 3) AS share_narrowed,
    round(sum(gap_days.ever_executable) / gaps, 3) AS share_executable, max(widest_cents) AS widest,
    round(sum(median_life_s * episodes) / gaps, 1) AS typical_life_s
FROM gap_days
WHERE day > {day:Date} - 30 AND day <= {day:Date}
GROUP BY category
ORDER BY gaps DESC, category`,
  },
  {
    name: 'half-life-by-hour',
    title: 'When gaps close fastest',
    answers: 'Median half-life of gaps by hour of the day (UTC): when other traders are awake.',
    params: {},
    sql: `SELECT toHour(opened_at) AS hour, count() AS gaps, countIf(half_life_ms IS NOT NULL) AS halved,
    round(median(half_life_ms) / 1000, 1) AS median_half_life_s
FROM gap_episodes
GROUP BY hour
ORDER BY hour`,
  },
  {
    name: 'reopening-pairs',
    title: 'Pairs that open again and again',
    answers:
      'The same question diverging repeatedly: a lasting difference of the contracts, or a habit of one venue.',
    params: {},
    sql: `SELECT pair_id, any(topic) AS question, count() AS times, min(opened_at) AS first_at, max(opened_at) AS last_at,
    round(avg(peak_cents), 2) AS mean_peak_cents, round(avg(life_ms) / 1000, 1) AS mean_life_s
FROM gap_episodes
GROUP BY pair_id
HAVING times > 1
ORDER BY times DESC, pair_id
LIMIT 20`,
  },
  {
    name: 'best-edges',
    title: 'The best edge each gap offered after fees',
    answers:
      "What was left after both takers' fees at the best instant of each gap of a day, as the feed told it (to half a cent), and what was suggested then.",
    params: DAY,
    sql: `SELECT card_id, any(card_topic) AS question, max(edge_cents) AS best_edge_cents, argMax(at, edge_cents) AS best_at,
    argMax(suggested_action, edge_cents) AS action_then, argMax(risk_flags, edge_cents) AS flags_then
FROM feed_events
WHERE at >= {day:Date} AND at < {day:Date} + 1 AND kind != 'closed'
GROUP BY card_id
HAVING best_edge_cents > 0
ORDER BY best_edge_cents DESC, card_id
LIMIT 20`,
  },
  {
    name: 'flags-and-persistence',
    title: 'What risk flags say about persistence',
    answers:
      'For each risk flag at opening, of the gaps that opened in the 30 days up to a day: how many carried it, how long they stood, how many narrowed.',
    params: DAY,
    //  A gap is held as the number its id is hashed to, and its flags as one text: as they are, a month of them is
    //  several times what the analyst may hold.
    sql: `SELECT arrayJoin(extractAll(flags, '[^,]+')) AS flag, count() AS gaps, round(median(life_ms) / 1000, 1) AS median_life_s,
    round(countIf(why_closed = 'narrowed') / gaps, 3) AS share_narrowed
FROM gap_episodes
INNER JOIN
(
    SELECT cityHash64(card_id) AS card, argMin(arrayStringConcat(risk_flags, ','), stream_ms) AS flags
    FROM feed_events
    WHERE topic = 'gaps' AND kind = 'opened' AND at > {day:Date} - 30 AND toDate(opened_at) > {day:Date} - 30 AND toDate(opened_at) <= {day:Date}
    GROUP BY card
) AS told ON told.card = cityHash64(gap_episodes.episode_id)
WHERE toDate(opened_at) > {day:Date} - 30 AND toDate(opened_at) <= {day:Date}
GROUP BY flag
ORDER BY gaps DESC, flag`,
  },
  {
    name: 'side-by-side',
    title: 'Both venues of one pair, hour by hour',
    answers:
      'Where the two mids of a pair stood at the end of each hour, and how far apart (swapped where the verdict is inverted). A mid stands until it changes (quote_bars has the hours in which it did) or its market closes; one that comes back is shown from its next mid on. Closings are dated by the real clock, which is not the market clock of a recording: there a mid stands until it changes.',
    params: { pair: 'a pair_id: a:516710|b:KXFED-26DEC' },
    //  0, which is no mid, stands for a market that is closed. Hours are filled before those without both mids are left
    //  out: otherwise these would be filled with mids of before the closing.
    sql: `WITH
    (
        SELECT any((market_a, market_b, verdict))
        FROM
        (
            SELECT market_a, market_b, verdict FROM gap_episodes WHERE pair_id = {pair:String}
            UNION ALL
            SELECT extract(pair_id, '^a:([^|]+)[|]'), extract(pair_id, '[|]b:(.+)$'), verdict
            FROM feed_events
            WHERE pair_id = {pair:String}
        )
    ) AS pair,
    bars AS
    (
        SELECT venue, hour, argMaxMerge(close) AS mid_or_0, max(stored_at) AS at
        FROM quote_bars_states
        WHERE (venue, market_id) IN ((SELECT 'a', pair.1), (SELECT 'b', pair.2))
        GROUP BY venue, hour
    )
SELECT hour, a_bps, b_bps, round(abs(a_bps - b_bps) / 100, 2) AS gap_cents
FROM
(
    SELECT hour, nullIf(last_value(a_end) OVER so_far, 0) AS a_bps, nullIf(last_value(b_end) OVER so_far, 0) AS b_mid,
        if(pair.3 = 'inverted', 10000 - b_mid, b_mid) AS b_bps
    FROM
    (
        SELECT hour, argMaxIf(toNullable(mid_or_0), at, venue = 'a') AS a_end, argMaxIf(toNullable(mid_or_0), at, venue = 'b') AS b_end
        FROM
        (
            SELECT venue, hour, mid_or_0, at FROM bars
            UNION ALL
            SELECT venue, toStartOfHour(closed_at) AS hour, 0, closed_at
            FROM closings
            WHERE (venue, market_id) IN ((SELECT 'a', pair.1), (SELECT 'b', pair.2)) AND hour <= (SELECT max(hour) FROM bars)
        )
        GROUP BY hour
    )
    WINDOW so_far AS (ORDER BY hour)
    ORDER BY hour WITH FILL STEP toIntervalHour(1) INTERPOLATE (a_bps, b_bps)
)
WHERE a_bps IS NOT NULL AND b_bps IS NOT NULL
ORDER BY hour`,
  },
  {
    name: 'busiest-markets',
    title: 'Markets that moved most on a day',
    answers: 'Widest range of the mid within a day, with the question and its page at the venue.',
    params: DAY,
    //  not from quote_bars, which would hold every hour of every market before any is left out; and the text of all
    //  markets ever listed passes by the twenty, instead of being held for them
    sql: `SELECT venue, market_id, title, url, range_cents, changes
FROM (SELECT venue, market_id, title, url FROM markets FINAL) AS text
RIGHT JOIN
(
    SELECT venue, market_id, (max(high) - min(low)) / 100 AS range_cents, sum(quotes) AS changes
    FROM quote_bars_states
    WHERE hour >= {day:Date} AND hour < {day:Date} + 1
    GROUP BY venue, market_id
    ORDER BY range_cents DESC, venue, market_id
    LIMIT 20
) AS moved USING (venue, market_id)
ORDER BY range_cents DESC, venue, market_id`,
  },
  {
    name: 'track-record',
    title: 'The track record of sold cards',
    answers:
      'Of the gap cards that were sold in the last two years, by what they suggested: how wide the gap was then, how many narrowed, and how soon those ended whose end we saw.',
    params: {},
    sql: `SELECT mode, suggested_action, verdict, sum(track_record.sold) AS sold, sum(track_record.ended) AS ended,
    sum(track_record.narrowed) AS narrowed,
    round(sum(median_gap_when_sold_cents * track_record.sold) / sumIf(track_record.sold, median_gap_when_sold_cents IS NOT NULL), 2) AS gap_when_sold_cents,
    round(sum(median_gap_when_closed_cents * track_record.ended) / sum(track_record.ended), 2) AS gap_when_closed_cents,
    round(sum(median_closed_after_s * seen_to_end) / sum(seen_to_end), 1) AS closed_after_s
FROM track_record
GROUP BY mode, suggested_action, verdict
ORDER BY mode, sold DESC, suggested_action, verdict`,
  },
  {
    name: 'venue-freshness',
    title: 'How fresh each venue was',
    answers: 'Complete and failed sweeps of each venue by day, and the longest time without a complete one.',
    params: {},
    sql: `SELECT venue, day, countIf(complete) AS complete_sweeps, countIf(NOT complete) AS failed,
    round(max(waited_s), 1) AS longest_wait_s, topK(1)(problem)[1] AS usual_problem
FROM
(
    SELECT venue, toDate(started_at) AS day, complete, problem,
        if(before > toDateTime64(0, 3, 'UTC'), dateDiff('millisecond', before, started_at) / 1000, 0) AS waited_s
    FROM
    (
        SELECT *, maxIf(started_at, complete) OVER before_it AS before
        FROM sweeps
        WINDOW before_it AS (PARTITION BY venue ORDER BY started_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
)
GROUP BY venue, day
ORDER BY day, venue`,
  },
]
