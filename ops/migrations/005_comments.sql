-- What every column of the first tables means: the schema page is made of these words.

ALTER TABLE markets
    COMMENT COLUMN IF EXISTS venue 'a or b',
    COMMENT COLUMN IF EXISTS market_id 'the venue''s own id, never rewritten; b: ticker',
    COMMENT COLUMN IF EXISTS event_id 'markets of one event are its outcomes',
    COMMENT COLUMN IF EXISTS series_id 'b only',
    COMMENT COLUMN IF EXISTS event_title 'as the venue words it',
    COMMENT COLUMN IF EXISTS title 'the question as the venue words it',
    COMMENT COLUMN IF EXISTS outcome 'name of this outcome inside its event',
    COMMENT COLUMN IF EXISTS yes_means 'label of the yes side when it is not Yes: a team, Up, Over',
    COMMENT COLUMN IF EXISTS no_means 'label of the other side',
    COMMENT COLUMN IF EXISTS exclusive 'at most one market of the event resolves yes',
    COMMENT COLUMN IF EXISTS placeholder 'Person A, Other, TBD: never paired',
    COMMENT COLUMN IF EXISTS rules 'contract text, at most 8,000 characters; empty: the venue gives none',
    COMMENT COLUMN IF EXISTS category 'as the venue names it',
    COMMENT COLUMN IF EXISTS tags 'as the venue names them',
    COMMENT COLUMN IF EXISTS strike_type 'greater, greater_or_equal, less, less_or_equal, between or other',
    COMMENT COLUMN IF EXISTS strike_floor 'the venue''s number',
    COMMENT COLUMN IF EXISTS strike_cap 'the venue''s number',
    COMMENT COLUMN IF EXISTS slug 'a: of the event',
    COMMENT COLUMN IF EXISTS market_slug 'a: of the market; drifts',
    COMMENT COLUMN IF EXISTS url 'page at the venue',
    COMMENT COLUMN IF EXISTS token_id 'a: token of the yes side',
    COMMENT COLUMN IF EXISTS open_at 'as the venue states it',
    COMMENT COLUMN IF EXISTS close_at 'close of trading as the venue states it; may be a year late',
    COMMENT COLUMN IF EXISTS expected_at 'b: when it is expected to be decided',
    COMMENT COLUMN IF EXISTS game_at 'start of the game, where the venue says',
    COMMENT COLUMN IF EXISTS fee_exponent 'fee per contract = rate * (p * (1 - p)) ^ exponent dollars, before rounding',
    COMMENT COLUMN IF EXISTS fee_rounding 'a_five_decimals or b_cent_up',
    COMMENT COLUMN IF EXISTS fee_flagged 'the venue named fee terms that are not known: a guess',
    COMMENT COLUMN IF EXISTS stream_ms 'real clock: when ingest wrote it',
    COMMENT COLUMN IF EXISTS stream_seq 'orders what has the same stream_ms';

ALTER TABLE quotes
    COMMENT COLUMN IF EXISTS venue 'a or b',
    COMMENT COLUMN IF EXISTS market_id 'the venue''s own id; see markets',
    COMMENT COLUMN IF EXISTS ask_bps '1 = 0.0001 dollar; null: no ask',
    COMMENT COLUMN IF EXISTS ask_size 'contracts; venue a states none',
    COMMENT COLUMN IF EXISTS last_bps 'last trade; null: never traded',
    COMMENT COLUMN IF EXISTS change_day_bps 'venue a only',
    COMMENT COLUMN IF EXISTS change_week_bps 'venue a only',
    COMMENT COLUMN IF EXISTS stream_seq 'orders what has the same stream_ms',
    COMMENT COLUMN IF EXISTS stream_ms 'real clock: when ingest wrote it',
    COMMENT COLUMN IF EXISTS venue_at 'the venue''s own clock; null: it gives none';

ALTER TABLE closings
    COMMENT COLUMN IF EXISTS venue 'a or b',
    COMMENT COLUMN IF EXISTS market_id 'the venue''s own id; see markets',
    COMMENT COLUMN IF EXISTS stream_ms 'real clock: when ingest wrote it',
    COMMENT COLUMN IF EXISTS stream_seq 'orders what has the same stream_ms',
    COMMENT COLUMN IF EXISTS closed_at 'when it was gone from the listing, real clock';

ALTER TABLE sweeps
    COMMENT COLUMN IF EXISTS venue 'a or b',
    COMMENT COLUMN IF EXISTS sweep_id 'rises by one per venue',
    COMMENT COLUMN IF EXISTS started_at 'market clock; a complete sweep makes every quote of the venue this fresh',
    COMMENT COLUMN IF EXISTS finished_at 'market clock',
    COMMENT COLUMN IF EXISTS complete 'false: a page was missing, nothing got fresher',
    COMMENT COLUMN IF EXISTS problem 'why it is not complete',
    COMMENT COLUMN IF EXISTS markets 'open markets seen',
    COMMENT COLUMN IF EXISTS pages 'pages read',
    COMMENT COLUMN IF EXISTS stream_ms 'real clock: when ingest wrote it',
    COMMENT COLUMN IF EXISTS stream_seq 'orders what has the same stream_ms';

ALTER TABLE stream_gaps
    COMMENT COLUMN IF EXISTS stream 'which stream was full',
    COMMENT COLUMN IF EXISTS noticed_at 'real clock';

ALTER TABLE sales
    COMMENT COLUMN IF EXISTS event_id 'of the sale in the journal',
    COMMENT COLUMN IF EXISTS at 'when it was delivered, real clock',
    COMMENT COLUMN IF EXISTS sku 'what was sold',
    COMMENT COLUMN IF EXISTS path 'where it was sold',
    COMMENT COLUMN IF EXISTS purchase_path 'how it was paid',
    COMMENT COLUMN IF EXISTS rail 'chain and asset',
    COMMENT COLUMN IF EXISTS chain_id 'EIP-155',
    COMMENT COLUMN IF EXISTS asset 'token contract',
    COMMENT COLUMN IF EXISTS payer 'address that paid',
    COMMENT COLUMN IF EXISTS tx 'transaction of the transfer',
    COMMENT COLUMN IF EXISTS log_index 'of the transfer in it',
    COMMENT COLUMN IF EXISTS attestation_id 'of the signed receipt',
    COMMENT COLUMN IF EXISTS snapshot_version 'of the board that was sold; null: none was',
    COMMENT COLUMN IF EXISTS request_hash 'of what was asked',
    COMMENT COLUMN IF EXISTS response_hash 'of what was delivered',
    COMMENT COLUMN IF EXISTS stream_ms 'real clock: when it was written to the journal',
    COMMENT COLUMN IF EXISTS stream_seq 'orders what has the same stream_ms';
