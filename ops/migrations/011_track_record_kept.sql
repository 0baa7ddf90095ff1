-- What became of a card is known as long as gap_episodes has its gap: 2 years. Sales are kept 10, and without its episode a gap of
-- before would look as if it had never ended. So the track record goes back as far as gap_episodes does, by whole days, and
-- sold_cards says of an older sale that how it ended is not known.

CREATE OR REPLACE VIEW track_record
(
    day Date COMMENT 'of the deliveries, real clock, UTC; none older than 2 years',
    mode String COMMENT 'sandbox or live',
    verdict String COMMENT 'identity or inverted; unknown: sold before it was noted, and history knows nothing of the card',
    suggested_action String COMMENT 'when sold; unknown: sold before it was noted',
    sold UInt64 COMMENT 'cards sold, each as often as it was sold',
    cards UInt64 COMMENT 'different cards among them',
    ended UInt64 COMMENT 'sold cards whose gap has ended',
    narrowed UInt64 COMMENT 'of these by narrowing to 1 cent',
    ever_executable UInt64 COMMENT 'of the ended were executable at some look',
    peaked_after_sale UInt64 COMMENT 'of the ended grew beyond all before after the sale',
    seen_to_end UInt64 COMMENT 'of the ended ended after the sale, in our sight',
    median_gap_when_sold_cents Nullable(Float64) COMMENT 'of all sold',
    median_gap_when_closed_cents Nullable(Float64) COMMENT 'of the ended',
    median_closed_after_s Nullable(Float64) COMMENT 'from the sale to the end of the gap, of those of seen_to_end; null: there are none',
    median_half_life_s Nullable(Float64) COMMENT 'of those that halved'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    toDate(sold_at) AS day,
    mode,
    ifNull(sold_cards.verdict, 'unknown') AS verdict,
    ifNull(sold_cards.suggested_action, 'unknown') AS suggested_action,
    count() AS sold,
    uniqExact(card_id) AS cards,
    countIf(closed_at IS NOT NULL) AS ended,
    countIf(why_closed = 'narrowed') AS narrowed,
    countIf(sold_cards.ever_executable) AS ever_executable,
    countIf(sold_cards.peaked_after_sale) AS peaked_after_sale,
    countIf(closed_after_ms IS NOT NULL) AS seen_to_end,
    quantileExactInclusive(gap_when_sold_cents) AS median_gap_when_sold_cents,
    quantileExactInclusive(gap_when_closed_cents) AS median_gap_when_closed_cents,
    quantileExactInclusive(closed_after_ms) / 1000 AS median_closed_after_s,
    quantileExactInclusive(half_life_ms) / 1000 AS median_half_life_s
FROM sold_cards
WHERE toDate(sold_at) > toDate(now('UTC')) - INTERVAL 2 YEAR
GROUP BY day, mode, verdict, suggested_action
COMMENT 'What became of the gap cards that were sold, by day, without buyers, as far back as gap_episodes are kept: 2 years. Keeps nothing itself';

ALTER TABLE sold_cards
    COMMENT COLUMN IF EXISTS opened_at 'market clock, as the following; null: no gap was open, or it is no longer known',
    COMMENT COLUMN IF EXISTS peak_at 'null, as the following: the gap has not ended, or was sold more than 2 years ago and its episode is no longer kept',
    COMMENT COLUMN IF EXISTS half_life_ms 'from the peak until it was first half as wide; null: also where it ended before';

ALTER TABLE sold_cards
    MODIFY COMMENT 'Each gap card of each sale, how the gap stood then and, as long as gap_episodes are kept (2 years), how it ended. For the owner; keeps nothing itself';
