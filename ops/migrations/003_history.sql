-- History of gaps, drained from the engine's streams: what was told, and what became of it. Instants are market clock
-- unless a comment says otherwise; stream_ms is the real clock, and what retention counts on.

CREATE TABLE IF NOT EXISTS gap_episodes
(
    episode_id String COMMENT 'pair_id@opened_at in Unix ms; the cardId of the cards that showed this gap',
    pair_id String COMMENT 'a:market|b:market',
    topic String COMMENT 'the question',
    category LowCardinality(Nullable(String)) COMMENT 'as the venue names it; null: it names none',
    verdict LowCardinality(String) COMMENT 'identity, or inverted: yes on a is no on b',
    market_a String COMMENT 'market_id of venue a',
    market_b String COMMENT 'market_id of venue b',
    opened_at DateTime64(3, 'UTC') COMMENT 'the gap of the mids reached 2 cents' CODEC(Delta, ZSTD(3)),
    peak_at DateTime64(3, 'UTC') COMMENT 'first instant of the widest gap' CODEC(Delta, ZSTD(3)),
    closed_at DateTime64(3, 'UTC') COMMENT 'narrowed to 1 cent, or last seen: see why_closed' CODEC(Delta, ZSTD(3)),
    open_cents Float64 COMMENT 'gap when it opened',
    peak_cents Float64 COMMENT 'widest gap',
    last_cents Float64 COMMENT 'gap when it was last seen',
    half_life_ms Nullable(Int64) COMMENT 'from the peak until it was first half as wide; null: it ended before',
    ever_executable Bool COMMENT 'at some look both sides were fresh and uncrossed and closed at most 48 h apart',
    samples UInt32 COMMENT 'how often it was looked at',
    why_closed LowCardinality(String) COMMENT 'narrowed, unquoted: a leg had no mid for 5 minutes, gone: the pair is no longer, unwatched: we did not look',
    stream_ms Int64 COMMENT 'real clock: when the engine wrote it' CODEC(Delta, ZSTD(3)),
    stream_seq UInt32 COMMENT 'orders what has the same stream_ms',
    life_ms Int64 ALIAS toUnixTimestamp64Milli(closed_at) - toUnixTimestamp64Milli(opened_at) COMMENT 'how long it was open'
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(opened_at)
ORDER BY (opened_at, episode_id)
TTL toDateTime(intDiv(stream_ms, 1000)) + INTERVAL 2 YEAR
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'Every gap that ended, one row each. Kept 2 years';

CREATE TABLE IF NOT EXISTS feed_events
(
    at DateTime64(3, 'UTC') COMMENT 'when it was told' CODEC(Delta, ZSTD(3)),
    kind LowCardinality(String) COMMENT 'opened, changed or closed',
    topic LowCardinality(String) COMMENT 'gaps or edges',
    snapshot_version UInt64 COMMENT 'of board gapCards' CODEC(Delta, ZSTD(3)),
    card_id String COMMENT 'episode_id of the gap; ends in @0 where no gap is open',
    pair_id String COMMENT 'a:market|b:market',
    card_topic String COMMENT 'the question',
    category LowCardinality(Nullable(String)) COMMENT 'as the venue names it; null: it names none',
    verdict LowCardinality(String) COMMENT 'identity or inverted',
    gap_cents Float64 COMMENT 'distance of the mids',
    net_cents Float64 COMMENT 'bid of the selling venue minus ask of the buying one; may be negative',
    edge_cents Float64 COMMENT 'net after the takers'' fees of both venues; may be negative',
    executable Bool COMMENT 'both sides fresh and uncrossed, closing at most 48 h apart',
    suggested_action LowCardinality(String) COMMENT 'buy_a_sell_b, buy_b_sell_a, watch or avoid',
    risk_flags Array(LowCardinality(String)) COMMENT 'gravest first',
    buy_venue LowCardinality(String) COMMENT 'a or b',
    buy_bps Int32 COMMENT 'price to buy at; 1 = 0.0001 dollar, of the question as a words it',
    sell_bps Int32 COMMENT 'price to sell at',
    opened_at Nullable(DateTime64(3, 'UTC')) COMMENT 'of the gap; null: none is open',
    age_ms Nullable(Int64) COMMENT 'of the gap when this was told',
    peak_cents Nullable(Float64) COMMENT 'widest gap until then',
    ever_executable Nullable(Bool) COMMENT 'until then',
    card String COMMENT 'the whole card as JSON, schema botFuel.v2; of a closed one as it last was' CODEC(ZSTD(6)),
    stream_ms Int64 COMMENT 'real clock: when the engine told it' CODEC(Delta, ZSTD(3)),
    stream_seq UInt32 COMMENT 'orders what has the same stream_ms',
    event_id String ALIAS concat(toString(stream_ms), '-', toString(stream_seq)) COMMENT 'id of the event in the alpha feed',
    INDEX card_ids card_id TYPE bloom_filter GRANULARITY 4
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (topic, at, stream_ms, stream_seq)
TTL toDateTime(intDiv(stream_ms, 1000)) + INTERVAL 180 DAY
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'Everything the alpha feed told, in its own words. Kept 180 days';

-- What outlives its source. A feeder fills its states with every insert, each block once; states are read through
-- the view of the same name, because parts of one hour or day may lie in several rows until they are merged.

CREATE TABLE IF NOT EXISTS quote_bars_states
(
    venue LowCardinality(String) COMMENT 'a or b',
    market_id String COMMENT 'the venue''s own id',
    hour DateTime('UTC') COMMENT 'its beginning',
    open AggregateFunction(argMin, Float32, DateTime64(3, 'UTC')) COMMENT 'mid, bps',
    high SimpleAggregateFunction(max, Float32) COMMENT 'mid, bps',
    low SimpleAggregateFunction(min, Float32) COMMENT 'mid, bps',
    close AggregateFunction(argMax, Float32, DateTime64(3, 'UTC')) COMMENT 'mid, bps',
    volume_24h AggregateFunction(argMax, UInt64, DateTime64(3, 'UTC')) COMMENT 'at the end of the hour',
    quotes SimpleAggregateFunction(sum, UInt64) COMMENT 'that had a mid',
    stored_at SimpleAggregateFunction(max, DateTime('UTC')) COMMENT 'real clock'
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (venue, market_id, hour)
TTL stored_at + INTERVAL 2 YEAR
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'States behind view quote_bars. Kept 2 years';

CREATE MATERIALIZED VIEW IF NOT EXISTS quote_bars_feeder TO quote_bars_states
AS SELECT
    venue,
    toString(market_id) AS market_id,
    toStartOfHour(seen_at) AS hour,
    argMinState(toFloat32((assumeNotNull(bid_bps) + assumeNotNull(ask_bps)) / 2), seen_at) AS open,
    max(toFloat32((assumeNotNull(bid_bps) + assumeNotNull(ask_bps)) / 2)) AS high,
    min(toFloat32((assumeNotNull(bid_bps) + assumeNotNull(ask_bps)) / 2)) AS low,
    argMaxState(toFloat32((assumeNotNull(bid_bps) + assumeNotNull(ask_bps)) / 2), seen_at) AS close,
    argMaxState(quotes.volume_24h, seen_at) AS volume_24h,
    count() AS quotes,
    max(toDateTime(intDiv(toUnixTimestamp64Milli(seen_at) + stream_lag_ms, 1000), 'UTC')) AS stored_at
FROM quotes
WHERE bid_bps IS NOT NULL AND ask_bps IS NOT NULL AND bid_bps < ask_bps
    AND ifNull(bid_size, 1) > 0 AND ifNull(ask_size, 1) > 0
GROUP BY venue, market_id, hour
COMMENT 'Fills quote_bars_states from quotes. Keeps nothing itself';

CREATE VIEW IF NOT EXISTS quote_bars
(
    venue LowCardinality(String) COMMENT 'a or b',
    market_id String COMMENT 'the venue''s own id',
    hour DateTime('UTC') COMMENT 'its beginning',
    open_bps Float32 COMMENT 'first mid of the hour; halves occur',
    high_bps Float32 COMMENT 'highest mid',
    low_bps Float32 COMMENT 'lowest mid',
    close_bps Float32 COMMENT 'last mid',
    volume_24h UInt64 COMMENT 'of the 24 h before the last quote; a: US dollars, b: contracts; never add the two',
    quotes UInt64 COMMENT 'quotes with a mid in this hour'
)
AS SELECT
    venue,
    market_id,
    hour,
    argMinMerge(open) AS open_bps,
    max(high) AS high_bps,
    min(low) AS low_bps,
    argMaxMerge(close) AS close_bps,
    argMaxMerge(quote_bars_states.volume_24h) AS volume_24h,
    sum(quote_bars_states.quotes) AS quotes
FROM quote_bars_states
GROUP BY venue, market_id, hour
COMMENT 'Hourly bars of the mid of every market; hours without a changed mid have none. Kept 2 years, quotes only 90 days';

CREATE TABLE IF NOT EXISTS gap_days_states
(
    day Date COMMENT 'on which the gaps opened',
    category LowCardinality(String) COMMENT 'empty: the venue names none',
    verdict LowCardinality(String) COMMENT 'identity or inverted',
    episodes SimpleAggregateFunction(sum, UInt64) COMMENT 'gaps',
    narrowed SimpleAggregateFunction(sum, UInt64) COMMENT 'gaps that closed by narrowing',
    ever_executable SimpleAggregateFunction(sum, UInt64) COMMENT 'gaps',
    widest SimpleAggregateFunction(max, Float64) COMMENT 'cents',
    peaks AggregateFunction(quantilesTDigest(0.5, 0.9), Float64) COMMENT 'cents',
    lives AggregateFunction(quantilesTDigest(0.5, 0.9), Float64) COMMENT 'ms',
    half_lives AggregateFunction(quantilesTDigest(0.5, 0.9), Nullable(Float64)) COMMENT 'ms',
    stored_at SimpleAggregateFunction(max, DateTime('UTC')) COMMENT 'real clock'
)
ENGINE = AggregatingMergeTree
ORDER BY (day, category, verdict)
TTL stored_at + INTERVAL 10 YEAR
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'States behind view gap_days. Kept 10 years';

CREATE MATERIALIZED VIEW IF NOT EXISTS gap_days_feeder TO gap_days_states
AS SELECT
    toDate(opened_at) AS day,
    ifNull(gap_episodes.category, '') AS category,
    verdict,
    count() AS episodes,
    countIf(why_closed = 'narrowed') AS narrowed,
    countIf(gap_episodes.ever_executable) AS ever_executable,
    max(peak_cents) AS widest,
    quantilesTDigestState(0.5, 0.9)(peak_cents) AS peaks,
    quantilesTDigestState(0.5, 0.9)(toFloat64(toUnixTimestamp64Milli(closed_at) - toUnixTimestamp64Milli(opened_at))) AS lives,
    quantilesTDigestState(0.5, 0.9)(toFloat64(half_life_ms)) AS half_lives,
    max(toDateTime(intDiv(stream_ms, 1000), 'UTC')) AS stored_at
FROM gap_episodes
GROUP BY day, category, verdict
COMMENT 'Fills gap_days_states from gap_episodes. Keeps nothing itself';

CREATE VIEW IF NOT EXISTS gap_days
(
    day Date COMMENT 'on which the gaps opened, UTC',
    category String COMMENT 'empty: the venue names none',
    verdict String COMMENT 'identity or inverted',
    episodes UInt64 COMMENT 'gaps that have ended',
    narrowed UInt64 COMMENT 'of these closed by narrowing',
    ever_executable UInt64 COMMENT 'of these were executable at some look',
    widest_cents Float64 COMMENT 'the widest peak',
    median_peak_cents Float64 COMMENT 'estimated',
    p90_peak_cents Float64 COMMENT 'estimated',
    median_life_s Float64 COMMENT 'opened to closed, estimated',
    p90_life_s Float64 COMMENT 'estimated',
    median_half_life_s Nullable(Float64) COMMENT 'of those that halved, estimated; null: none did'
)
AS SELECT
    day,
    toString(category) AS category,
    toString(verdict) AS verdict,
    sum(gap_days_states.episodes) AS episodes,
    sum(gap_days_states.narrowed) AS narrowed,
    sum(gap_days_states.ever_executable) AS ever_executable,
    max(widest) AS widest_cents,
    quantilesTDigestMerge(0.5, 0.9)(peaks)[1] AS median_peak_cents,
    quantilesTDigestMerge(0.5, 0.9)(peaks)[2] AS p90_peak_cents,
    quantilesTDigestMerge(0.5, 0.9)(lives)[1] / 1000 AS median_life_s,
    quantilesTDigestMerge(0.5, 0.9)(lives)[2] / 1000 AS p90_life_s,
    if(isNaN(quantilesTDigestMerge(0.5, 0.9)(half_lives)[1]), NULL, quantilesTDigestMerge(0.5, 0.9)(half_lives)[1] / 1000) AS median_half_life_s
FROM gap_days_states
GROUP BY day, category, verdict
COMMENT 'Gaps by day, category and verdict. Kept 10 years, gap_episodes only 2';

CREATE TABLE IF NOT EXISTS feed_hours_states
(
    hour DateTime('UTC') COMMENT 'its beginning',
    topic LowCardinality(String) COMMENT 'gaps or edges',
    kind LowCardinality(String) COMMENT 'opened, changed or closed',
    events SimpleAggregateFunction(sum, UInt64) COMMENT 'events',
    trades SimpleAggregateFunction(sum, UInt64) COMMENT 'events whose card suggested a trade',
    stored_at SimpleAggregateFunction(max, DateTime('UTC')) COMMENT 'real clock'
)
ENGINE = AggregatingMergeTree
ORDER BY (hour, topic, kind)
TTL stored_at + INTERVAL 2 YEAR
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'States behind view feed_hours. Kept 2 years';

CREATE MATERIALIZED VIEW IF NOT EXISTS feed_hours_feeder TO feed_hours_states
AS SELECT
    toStartOfHour(at) AS hour,
    topic,
    kind,
    count() AS events,
    countIf(startsWith(suggested_action, 'buy')) AS trades,
    max(toDateTime(intDiv(stream_ms, 1000), 'UTC')) AS stored_at
FROM feed_events
GROUP BY hour, topic, kind
COMMENT 'Fills feed_hours_states from feed_events. Keeps nothing itself';

CREATE VIEW IF NOT EXISTS feed_hours
(
    hour DateTime('UTC') COMMENT 'its beginning',
    topic String COMMENT 'gaps or edges',
    kind String COMMENT 'opened, changed or closed',
    events UInt64 COMMENT 'how many were told',
    trades UInt64 COMMENT 'of these with a card that suggested a trade'
)
AS SELECT
    hour,
    toString(topic) AS topic,
    toString(kind) AS kind,
    sum(feed_hours_states.events) AS events,
    sum(feed_hours_states.trades) AS trades
FROM feed_hours_states
GROUP BY hour, topic, kind
COMMENT 'How much the alpha feed told, by hour. Kept 2 years, feed_events only 180 days';
