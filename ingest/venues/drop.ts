/**
 * Why a row of a venue is not in the feed. The closed set of words that sweeps, metrics and archive count.
 * `harmless` rows are ordinary; the others mean that the venue speaks differently than documented, and many
 * of them on one page raise the alarm of poll/judge.ts.
 */
export const DROPS = {
  not_tradable: { harmless: true }, //   closed, paused, or without an order book
  not_binary: { harmless: true }, //     more or fewer than two outcomes, scalar
  combo: { harmless: true }, //          b: KXMVE…, a bundle of other markets
  duplicate: { harmless: true }, //      shown twice in one sweep; the later by the venue's clock is kept
  older: { harmless: true }, //          the venue showed a later state of it before
  too_many: { harmless: true }, //       new, and as many are open as we keep (poll/known.ts)
  bad_event: { harmless: false }, //     the event around it has no id
  bad_id: { harmless: false }, //        no id, or one with characters that ids do not have
  bad_title: { harmless: false },
  bad_price: { harmless: false }, //     outside 0…1 dollar, not of the documented type, or contradicted by no's price
  price_too_fine: { harmless: false }, // finer than a millionth of a dollar
  bad_size: { harmless: false },
  bad_change: { harmless: false }, //    outside −1…1 dollar
  bad_volume: { harmless: false },
  bad_row: { harmless: false }, //       any other field of another type than documented
} as const

export type Drop = keyof typeof DROPS
export type DropCounts = Partial<Record<Drop, number>>

export function countDrop(counts: DropCounts, drop: Drop): void {
  counts[drop] = (counts[drop] ?? 0) + 1
}

export function addDrops(sum: DropCounts, more: DropCounts): void {
  for (const [drop, count] of Object.entries(more)) sum[drop as Drop] = (sum[drop as Drop] ?? 0) + count
}

/** Rows that should not have been refused if the venue spoke as documented. */
export function suspicious(counts: DropCounts): number {
  let rows = 0
  for (const [drop, count] of Object.entries(counts)) if (!DROPS[drop as Drop].harmless) rows += count
  return rows
}
