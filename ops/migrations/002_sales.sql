-- Copy of the sales journal for analysts and bookkeeping; the journal itself is the ledger's stream.

CREATE TABLE IF NOT EXISTS sales
(
    event_id String,
    at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(3)),
    sku LowCardinality(String),
    path LowCardinality(String),
    purchase_path LowCardinality(String),
    rail LowCardinality(String),
    chain_id UInt64,
    asset LowCardinality(String),
    payer String,
    amount_micro Int64 COMMENT 'millionths of a USDC',
    tx String,
    log_index Int32,
    attestation_id String,
    snapshot_version Nullable(UInt64),
    request_hash String,
    response_hash String,
    mode LowCardinality(String) COMMENT 'sandbox or live',
    stream_ms Int64 CODEC(Delta, ZSTD(3)),
    stream_seq UInt32
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (at, event_id)
TTL toDateTime(at) + INTERVAL 10 YEAR
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'Everything sold, one row a sale. Kept 10 years';
