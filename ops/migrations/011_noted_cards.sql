-- Sales note what they sold of each card since 006, so what the feed told before is looked up only for sales that do not. It was
-- looked up for every card ever sold, and all that was told of them in 180 days was held in memory. When a gap opened is in the
-- id of its card.

CREATE OR REPLACE VIEW sold_cards
(
    sold_at DateTime64(3, 'UTC') COMMENT 'when it was delivered, real clock',
    sku String COMMENT 'what was sold',
    mode String COMMENT 'sandbox or live',
    card_id String COMMENT 'episode_id of the gap; ends in @0 where none was open',
    verdict Nullable(String) COMMENT 'identity or inverted; null: history knows nothing of the card',
    category Nullable(String) COMMENT 'as the venue names it',
    suggested_action Nullable(String) COMMENT 'as sold; null, as the following: sold before it was noted',
    executable_when_sold Nullable(Bool) COMMENT 'as sold',
    gap_when_sold_cents Nullable(Float64) COMMENT 'as sold; of before it was noted: as last told, exact to half a cent',
    edge_when_sold_cents Nullable(Float64) COMMENT 'the same',
    sold_market_at Nullable(DateTime64(3, 'UTC')) COMMENT 'when the answer was made, market clock',
    opened_at Nullable(DateTime64(3, 'UTC')) COMMENT 'market clock, as the following; null: no gap was open',
    peak_at Nullable(DateTime64(3, 'UTC')) COMMENT 'null, as the following: the gap has not ended, or was sold more than 2 years ago and its episode is no longer kept',
    closed_at Nullable(DateTime64(3, 'UTC')) COMMENT 'end of the gap; unwatched: when it was last seen',
    peak_cents Nullable(Float64) COMMENT 'widest gap',
    peaked_after_sale Nullable(Bool) COMMENT 'it grew beyond all before after it was sold',
    gap_when_closed_cents Nullable(Float64) COMMENT 'gap when it was last seen',
    closed_after_ms Nullable(Int64) COMMENT 'from sold_market_at to closed_at; null: one of them is not known, or it ended unwatched, or before it was sold',
    half_life_ms Nullable(Int64) COMMENT 'from the peak until it was first half as wide; null: also where it ended before',
    ever_executable Nullable(Bool) COMMENT 'at some look',
    why_closed Nullable(String) COMMENT 'narrowed, unquoted, gone or unwatched'
)
AS SELECT
    fromUnixTimestamp64Milli(sold.stream_ms, 'UTC') AS sold_at,
    sold.sku AS sku,
    sold.mode AS mode,
    sold.card_id AS card_id,
    coalesce(sold.verdict, told.verdict, episode.verdict) AS verdict,
    coalesce(sold.category, told.category, episode.category) AS category,
    coalesce(sold.suggested_action, told.suggested_action) AS suggested_action,
    coalesce(sold.executable, told.executable) AS executable_when_sold,
    coalesce(sold.gap_cents, told.gap_cents) AS gap_when_sold_cents,
    coalesce(sold.edge_cents, told.edge_cents) AS edge_when_sold_cents,
    coalesce(sold.market_at, told.at + toIntervalMillisecond(sold.stream_ms - told.stream_ms)) AS sold_market_at,
    fromUnixTimestamp64Milli(nullIf(toInt64OrNull(extract(sold.card_id, '@([0-9]+)$')), 0), 'UTC') AS opened_at,
    episode.peak_at AS peak_at,
    episode.closed_at AS closed_at,
    episode.peak_cents AS peak_cents,
    CAST(episode.peak_at > sold_market_at, 'Nullable(Bool)') AS peaked_after_sale,
    episode.last_cents AS gap_when_closed_cents,
    if(
        episode.why_closed = 'unwatched' OR episode.closed_at < sold_market_at,
        NULL,
        toUnixTimestamp64Milli(episode.closed_at) - toUnixTimestamp64Milli(sold_market_at)
    ) AS closed_after_ms,
    episode.half_life_ms AS half_life_ms,
    episode.ever_executable AS ever_executable,
    episode.why_closed AS why_closed
FROM
(
    SELECT
        stream_ms,
        toString(sku) AS sku,
        toString(mode) AS mode,
        card_id,
        indexOf(cards.card_id, card_id) AS place,
        if(place > 0, cards.verdict[place], NULL) AS verdict,
        if(place > 0, cards.category[place], NULL) AS category,
        if(place > 0, cards.suggested_action[place], NULL) AS suggested_action,
        if(place > 0, cards.executable[place], NULL) AS executable,
        if(place > 0, cards.gap_cents[place], NULL) AS gap_cents,
        if(place > 0, cards.edge_cents[place], NULL) AS edge_cents,
        if(place > 0, cards.market_at[place], NULL) AS market_at
    FROM sales
    ARRAY JOIN arrayDistinct(card_ids) AS card_id
) AS sold
ASOF LEFT JOIN
(
    SELECT
        card_id,
        stream_ms,
        toNullable(at) AS at,
        toNullable(toString(verdict)) AS verdict,
        toNullable(toString(category)) AS category,
        toNullable(toString(suggested_action)) AS suggested_action,
        toNullable(executable) AS executable,
        toNullable(gap_cents) AS gap_cents,
        toNullable(edge_cents) AS edge_cents
    FROM feed_events
    WHERE kind != 'closed' AND NOT endsWith(card_id, '@0') AND card_id IN
        (
            SELECT arrayJoin(arrayFilter(id -> NOT has(cards.card_id, id), card_ids)) FROM sales
        )
) AS told ON told.card_id = sold.card_id AND told.stream_ms <= sold.stream_ms
LEFT JOIN
(
    SELECT
        episode_id,
        toNullable(peak_at) AS peak_at,
        toNullable(closed_at) AS closed_at,
        toNullable(peak_cents) AS peak_cents,
        toNullable(last_cents) AS last_cents,
        half_life_ms,
        toNullable(ever_executable) AS ever_executable,
        toNullable(toString(why_closed)) AS why_closed,
        toNullable(toString(verdict)) AS verdict,
        toNullable(toString(category)) AS category
    FROM gap_episodes
    WHERE episode_id IN (SELECT arrayJoin(card_ids) FROM sales)
    ORDER BY stream_ms, stream_seq
    LIMIT 1 BY episode_id
) AS episode ON episode.episode_id = sold.card_id
COMMENT 'Each gap card of each sale, how the gap stood then and, as long as gap_episodes are kept (2 years), how it ended. For the owner; keeps nothing itself';
