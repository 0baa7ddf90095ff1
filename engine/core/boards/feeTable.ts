/**
 * What both venues publish about taker fees, as dated records: the newest record in force at an instant applies, and
 * its version travels with every edge (VEN-21). Rates of single markets come with the markets (`Market.fees`), because
 * both venues change them on markets that already trade; a record holds the rules around them, and the rates of that
 * day for anyone who checks a card. A new schedule is a new record at the end, never an edited one.
 */
export type FeeTable = {
  version: string //      ISO day from which it holds
  effectiveMs: number
  a: {
    source: string
    rates: Readonly<Record<string, number>> // by category, dollars per contract at p (1 − p) = 1
    stepE5: number //     each fill's fee is rounded to this, 1e-5 dollar; a smaller fee is not charged
  }
  b: {
    source: string
    rate: number //       times the fee multiplier of series or event
    stepE5: number //     an order's fee is rounded up to this, 1e-5 dollar
  }
}

const B_QUADRATIC = { rate: 0.07, stepE5: 1_000 }
const CENT_RULE = "venue's published rounding guide, 2026-08-27: an order costs whole cents"

const since = (day: string, a: Omit<FeeTable['a'], 'stepE5'>): FeeTable => ({
  version: day,
  effectiveMs: Date.parse(`${day}T00:00:00Z`),
  a: { ...a, stepE5: 1 },
  b: { ...B_QUADRATIC, source: CENT_RULE },
})

/** Oldest first. */
export const FEE_TABLES: readonly FeeTable[] = [
  since('2026-01-05', {
    source: "venue's published schedule, 2026-01-05: 15-minute crypto",
    rates: { crypto: 0.072 },
  }),
  since('2026-03-30', {
    source: "venue's published schedule, 2026-03-30: all categories",
    rates: {
      crypto: 0.072,
      sports: 0.03,
      economics: 0.05,
      culture: 0.05,
      weather: 0.05,
      general: 0.05,
      finance: 0.04,
      politics: 0.04,
      mentions: 0.04,
      tech: 0.04,
      geopolitics: 0,
    },
  }),
  since('2026-07-10', {
    source: "venue's published schedule, 2026-07-10: sports raised",
    rates: {
      crypto: 0.07,
      sports: 0.05,
      economics: 0.05,
      culture: 0.05,
      weather: 0.05,
      general: 0.05,
      finance: 0.04,
      politics: 0.04,
      mentions: 0.04,
      tech: 0.04,
      geopolitics: 0,
    },
  }),
]

/** The record in force at an instant, market clock; before the first record, the oldest one. */
export function feeTableAt(nowMs: number, tables: readonly FeeTable[] = FEE_TABLES): FeeTable {
  return tables.findLast(({ effectiveMs }) => effectiveMs <= nowMs) ?? tables[0]!
}
