-- The archive of the quote stream: what ingest published, for analysts and for the engine's history.
-- Every row carries the id of its stream entry (stream_ms-stream_seq, real clock); with the market's id it is
-- the row's event id. The deduplication window lets a block be inserted twice with one effect.
-- Retention counts on the real clock, because a replayed recording's own clock can be months back.

CREATE TABLE IF NOT EXISTS markets
(
    venue LowCardinality(String),
    market_id String,
    event_id String,
    series_id Nullable(String),
    event_title String,
    title String,
    outcome Nullable(String),
    yes_means Nullable(String),
    no_means Nullable(String),
    exclusive Bool,
    placeholder Bool,
    rules String CODEC(ZSTD(6)),
    category LowCardinality(Nullable(String)),
    tags Array(LowCardinality(String)),
    strike_type LowCardinality(Nullable(String)),
    strike_floor Nullable(Float64),
    strike_cap Nullable(Float64),
    slug Nullable(String),
    market_slug Nullable(String),
    url String,
    token_id Nullable(String),
    open_at Nullable(DateTime64(3, 'UTC')),
    close_at Nullable(DateTime64(3, 'UTC')),
    expected_at Nullable(DateTime64(3, 'UTC')),
    game_at Nullable(DateTime64(3, 'UTC')),
    fee_rate Nullable(Float64) COMMENT 'null: takers pay nothing',
    fee_exponent Nullable(Float64),
    fee_rounding LowCardinality(Nullable(String)),
    fee_flagged Nullable(Bool),
    stream_ms Int64,
    stream_seq UInt32
)
ENGINE = ReplacingMergeTree(stream_ms)
ORDER BY (venue, market_id)
TTL toDateTime(intDiv(stream_ms, 1000)) + INTERVAL 2 YEAR
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'Newest text and terms of every market ever listed; use FINAL. Kept 2 years after the last change';

-- Codecs measured on 2 million rows of random walks: 12 bytes a quote after merging. Times are stored as
-- distances from seen_at, because distances are small; volumes and sizes lose what nobody compares.
CREATE TABLE IF NOT EXISTS quotes
(
    venue LowCardinality(String) CODEC(ZSTD(3)),
    market_id LowCardinality(String) CODEC(ZSTD(3)),
    seen_at DateTime64(3, 'UTC') COMMENT 'our market clock' CODEC(Delta, T64('bit'), ZSTD(3)),
    bid_bps Nullable(UInt16) COMMENT '1 = 0.0001 dollar; null: no bid' CODEC(Delta, ZSTD(3)),
    ask_bps Nullable(UInt16) CODEC(Delta, ZSTD(3)),
    bid_size Nullable(Decimal(18, 2)) COMMENT 'contracts; venue a states none' CODEC(GCD, T64, ZSTD(3)),
    ask_size Nullable(Decimal(18, 2)) CODEC(GCD, T64, ZSTD(3)),
    last_bps Nullable(UInt16) CODEC(Delta, ZSTD(3)),
    previous_bps Nullable(UInt16) COMMENT 'venue b: last trade a day before' CODEC(ZSTD(3)),
    change_hour_bps Nullable(Int16) COMMENT 'venue a only' CODEC(Delta, ZSTD(3)),
    change_day_bps Nullable(Int16) CODEC(Delta, ZSTD(3)),
    change_week_bps Nullable(Int16) CODEC(Delta, ZSTD(3)),
    volume_24h UInt64 COMMENT 'a: US dollars, b: contracts, whole ones; never add the two' CODEC(Delta, T64('bit'), ZSTD(3)),
    venue_lag_ms Nullable(Int64) COMMENT 'seen_at minus the venue clock; null: it gives none' CODEC(T64, ZSTD(3)),
    stream_lag_ms Int64 COMMENT 'stream_ms minus seen_at' CODEC(T64, ZSTD(3)),
    stream_seq UInt32 CODEC(T64, ZSTD(3)),
    stream_ms Int64 ALIAS toUnixTimestamp64Milli(seen_at) + stream_lag_ms,
    venue_at Nullable(DateTime64(3, 'UTC')) ALIAS seen_at - toIntervalMillisecond(venue_lag_ms)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(seen_at)
ORDER BY (venue, market_id, seen_at)
TTL toDateTime(intDiv(toUnixTimestamp64Milli(seen_at) + stream_lag_ms, 1000)) + INTERVAL 90 DAY
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'Top of book of every market whenever any figure changed. Kept 90 days';

CREATE TABLE IF NOT EXISTS closings
(
    venue LowCardinality(String),
    market_id String,
    stream_ms Int64 CODEC(Delta, ZSTD(3)),
    stream_seq UInt32,
    closed_at DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(stream_ms, 'UTC')
)
ENGINE = MergeTree
ORDER BY (venue, market_id, stream_ms)
TTL toDateTime(intDiv(stream_ms, 1000)) + INTERVAL 2 YEAR
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'When a market left the open listing, real clock; it may come back. Kept 2 years';

CREATE TABLE IF NOT EXISTS sweeps
(
    venue LowCardinality(String),
    sweep_id UInt64 CODEC(Delta, ZSTD(3)),
    started_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(3)),
    finished_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(3)),
    changed_at DateTime64(3, 'UTC') COMMENT 'when the content last differed' CODEC(Delta, ZSTD(3)),
    complete Bool,
    problem LowCardinality(Nullable(String)),
    markets UInt32,
    pages UInt32,
    dropped Map(LowCardinality(String), UInt32) COMMENT 'rows refused, by reason',
    stream_ms Int64 CODEC(Delta, ZSTD(3)),
    stream_seq UInt32
)
ENGINE = MergeTree
ORDER BY (venue, sweep_id)
TTL toDateTime(intDiv(stream_ms, 1000)) + INTERVAL 90 DAY
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'One pass over all open markets of a venue: freshness and completeness of the feed. Kept 90 days';

CREATE TABLE IF NOT EXISTS stream_gaps
(
    stream LowCardinality(String),
    after_id String COMMENT 'last entry that was archived before the hole',
    before_id String COMMENT 'first entry after it',
    dropped UInt64 COMMENT 'entries the stream threw away unarchived: it was full',
    noticed_at DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY (stream, noticed_at)
TTL toDateTime(noticed_at) + INTERVAL 2 YEAR
SETTINGS non_replicated_deduplication_window = 1000
COMMENT 'Holes of the archive, real clock. Kept 2 years';
