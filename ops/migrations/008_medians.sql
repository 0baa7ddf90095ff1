-- The median of an even number lies between the two in the middle; and what a card of the feed says of itself since it carries
-- its own instant.

CREATE OR REPLACE VIEW track_record
(
    day Date COMMENT 'of the deliveries, real clock, UTC',
    mode String COMMENT 'sandbox or live',
    verdict String COMMENT 'identity or inverted; unknown: sold before it was noted, and history knows nothing of the card',
    suggested_action String COMMENT 'when sold; unknown: sold before it was noted',
    sold UInt64 COMMENT 'cards sold, each as often as it was sold',
    cards UInt64 COMMENT 'different cards among them',
    ended UInt64 COMMENT 'sold cards whose gap has ended',
    narrowed UInt64 COMMENT 'of these by narrowing to 1 cent',
    ever_executable UInt64 COMMENT 'of the ended were executable at some look',
    peaked_after_sale UInt64 COMMENT 'of the ended grew beyond all before after the sale',
    median_gap_when_sold_cents Nullable(Float64) COMMENT 'of all sold',
    median_gap_when_closed_cents Nullable(Float64) COMMENT 'of the ended',
    median_closed_after_s Nullable(Float64) COMMENT 'from the sale to the end of the gap',
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
    quantileExactInclusive(gap_when_sold_cents) AS median_gap_when_sold_cents,
    quantileExactInclusive(gap_when_closed_cents) AS median_gap_when_closed_cents,
    quantileExactInclusive(closed_after_ms) / 1000 AS median_closed_after_s,
    quantileExactInclusive(half_life_ms) / 1000 AS median_half_life_s
FROM sold_cards
GROUP BY day, mode, verdict, suggested_action
COMMENT 'What became of the gap cards that were sold, by day, without buyers. Keeps nothing itself: sales are kept 10 years, gap_episodes 2';

ALTER TABLE feed_events
    COMMENT COLUMN IF EXISTS kind 'opened, changed or closed; changed: a figure moved by 0.5 cents or more since it was told last, or flags, action, buying venue or the sizes that pay are others',
    COMMENT COLUMN IF EXISTS topic 'gaps: cards whose gap is open; edges: cards that suggest a trade, and after that as long as their edge is above 0',
    COMMENT COLUMN IF EXISTS card 'the whole card as JSON, schema feedCard.v1 (without toldMs: botFuel.v2, of before); of a closed one, as all figures beside it, as it was told last';
