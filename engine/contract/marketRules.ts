import { HOUR } from '../../ops/units.ts'

/*
 * Rules of the market arithmetic that are published as limits, too (spec 8).
 */

/** The two contracts of an executable pair close within this, the limit included. Spec 4.1 rule 4. */
export const CLOSE_WINDOW_MS = 48 * HOUR

/**
 * Contracts traded in 24 h below which a row is dropped (spec 4.1 rule 5). Venue B counts contracts. Venue A states
 * dollars; a contract costs at most one, so fewer dollars than this may be fewer contracts, and such a row is dropped too.
 */
export const MIN_CONTRACTS = 25
