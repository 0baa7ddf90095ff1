import { HOUR } from '../../ops/units.ts'

/*
 * Rules of the market arithmetic that are published as limits, too (spec 8).
 */

/** The two contracts of an executable pair close within this, the limit included. Spec 4.1 rule 4. */
export const CLOSE_WINDOW_MS = 48 * HOUR

/**
 * Contracts traded in 24 h below which a row is dropped. Only venue B counts contracts; venue A states dollars, a
 * different quantity, so the rule cannot be applied to A (spec 4.1 rule 5 states it beside B's other filter).
 */
export const MIN_CONTRACTS = 25
