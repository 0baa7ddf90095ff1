import { z } from 'zod'
import { inquiry } from '../goods/services/inquiry.ts'

/** The opening sale: this many free reports, one per buyer (spec 2.3, 8). */
export const OPENING_SALE = { sku: inquiry.sku, slotsTotal: 100, priceMicroUsdc: 0n } as const

const REQUIREMENTS = [
  'x-agent-id header',
  'stable buyerId, the same as x-agent-id',
  'one free report per buyerId',
]

export const OpeningSale = z.object({
  active: z.boolean(),
  sku: z.string(),
  slotsTotal: z.int(),
  slotsFulfilled: z.int(),
  slotsReserved: z.int(),
  slotsRemaining: z.int(),
  soldOut: z.boolean(),
  priceUsdc: z.number(),
  requirements: z.array(z.string()),
})
export type OpeningSale = z.infer<typeof OpeningSale>

/** The published record. @param slots as the ledger counts them. */
export function openingSaleRecord(
  active: boolean,
  slots: { fulfilled: number; reserved: number },
): OpeningSale {
  const slotsRemaining = Math.max(0, OPENING_SALE.slotsTotal - slots.fulfilled - slots.reserved)
  return {
    active,
    sku: OPENING_SALE.sku,
    slotsTotal: OPENING_SALE.slotsTotal,
    slotsFulfilled: slots.fulfilled,
    slotsReserved: slots.reserved,
    slotsRemaining,
    soldOut: slotsRemaining === 0,
    priceUsdc: 0,
    requirements: REQUIREMENTS,
  }
}
