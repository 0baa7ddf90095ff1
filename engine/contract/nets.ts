import { z } from 'zod'
import { GapRow } from './gaps.ts'

const Side = z.enum(['yes', 'no'])

/**
 * Board `nets`: pairs of which at least one direction can be bought and sold, largest net first. A net may be
 * negative and is shown so; the mid-price gap may be zero or unknown here. At most NETS_MAX rows, the last are cut.
 */
export const NetRow = GapRow.omit({ gapCents: true, netCents: true }).extend({
  netCents: z.number(), //              bid of the sell venue − ask of the buy venue, two decimals
  gapCents: z.number().nullable(),
  buyVenue: z.enum(['a', 'b']),
  sellVenue: z.enum(['a', 'b']),
  buySide: Side, //                     which contract of the buy venue's market is bought: no where B asks the opposite
  sellSide: Side, //                    which contract of the sell venue's market is sold
  buyBps: z.int(), //                   price of the contract that is bought
  sellBps: z.int(), //                  price of the contract that is sold
})
export type NetRow = z.infer<typeof NetRow>

export const NetsBoard = z.object({ rows: z.array(NetRow) })
export type NetsBoard = z.infer<typeof NetsBoard>

export const NETS = 'nets'
export const NETS_MAX = 20_000
