import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { Attestation } from '../receipt.ts'
import { namesIn, readAll, readJson, writePrivateJson } from './files.ts'
import type { Home } from './home.ts'

/** What stays of a purchase: the receipt, the answer it is about, and the payment. `receipts` and `verify` read it. */
export const KeptSale = z.object({
  label: z.literal('purchase.v1'),
  at: z.string(), //               ISO 8601
  url: z.string(),
  sku: z.string().nullable(),
  paidWith: z.enum(['payment', 'credit']),
  amountUsdc: z.string().nullable(),
  transaction: z.string().nullable(),
  rpcUrl: z.string().nullable(),
  attestation: Attestation,
  answer: z.unknown(),
})
export type KeptSale = z.infer<typeof KeptSale>

const ID = /^[A-Za-z0-9_-]{1,64}$/

/** The file is named by id and service: a service chooses its ids, and none may write over another's receipt. */
export async function keepSale({ receiptsDir }: Home, sale: KeptSale): Promise<void> {
  const { attestationId } = sale.attestation
  const origin = createHash('sha256').update(new URL(sale.url).origin).digest('hex').slice(0, 8)
  if (ID.test(attestationId))
    await writePrivateJson(join(receiptsDir, `${attestationId}.${origin}.json`), sale)
}

/** null: none with this id is kept here. */
export async function keptSale({ receiptsDir }: Home, id: string): Promise<KeptSale | null> {
  const name = (await namesIn(receiptsDir)).find((each) => each.startsWith(`${id}.`))
  return name === undefined ? null : await readJson(join(receiptsDir, name), KeptSale)
}

/** Newest first. */
export const keptSales = async ({ receiptsDir }: Home): Promise<KeptSale[]> =>
  (await readAll(receiptsDir, KeptSale)).map(({ value }) => value).sort((a, b) => (a.at < b.at ? 1 : -1))
