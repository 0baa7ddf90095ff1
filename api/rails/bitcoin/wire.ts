import { z } from 'zod'

const Sats = z.int().nonnegative() //  21 million coins fit a double exactly

const Uint32 = z.int().min(0).max(0xff_ff_ff_ff)
const Hex = z.string().regex(/^(?:[0-9a-f]{2})*$/)

/** `GET /tx/:txid` of Esplora; only the fields we need: all that its id is the hash of, and who sent it. */
export const BitcoinTransaction = z.object({
  txid: z.string().regex(/^[0-9a-f]{64}$/),
  version: z
    .int()
    .min(-(2 ** 31))
    .max(0xff_ff_ff_ff), //  some servers write it with a sign
  locktime: Uint32,
  vin: z.array(
    z.object({
      txid: z.string().regex(/^[0-9a-f]{64}$/),
      vout: Uint32,
      scriptsig: Hex,
      sequence: Uint32,
      prevout: z.object({ scriptpubkey_address: z.string().optional() }).nullish(),
    }),
  ),
  vout: z.array(z.object({ scriptpubkey: Hex, value: Sats })),
  status: z.discriminatedUnion('confirmed', [
    z.object({ confirmed: z.literal(false) }),
    z.object({
      confirmed: z.literal(true),
      block_height: z.int().nonnegative(),
      block_hash: z.string().regex(/^[0-9a-f]{64}$/),
      block_time: z.int().positive(),
    }),
  ]),
})
export type BitcoinTransaction = z.infer<typeof BitcoinTransaction>

export const Height = z.int().nonnegative()
export const BlockHash = z.string().regex(/^[0-9a-f]{64}$/)
/** `GET /blocks`. */
export const NewestBlocks = z.array(z.object({ timestamp: z.int().positive() }))
