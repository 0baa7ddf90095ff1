import { z } from 'zod'

const Sats = z.int().nonnegative() //  21 million coins fit a double exactly

/** `GET /tx/:txid` of Esplora; only the fields we need. */
export const BitcoinTransaction = z.object({
  txid: z.string().regex(/^[0-9a-f]{64}$/),
  vin: z.array(z.object({ prevout: z.object({ scriptpubkey_address: z.string().optional() }).nullish() })),
  vout: z.array(z.object({ scriptpubkey_address: z.string().optional(), value: Sats })),
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
