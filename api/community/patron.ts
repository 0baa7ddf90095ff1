import type { Redis } from 'ioredis'
import { z } from 'zod'
import { DAY, usdcNumber } from '../../ops/units.ts'
import { isProblem, type Problem } from '../errors.ts'
import { TIP_MAX_MICRO_USDC, TIP_MIN_MICRO_USDC, tip } from '../goods/services/tip.ts'
import type { HttpRequest, Reply } from '../http/exchange.ts'
import { readJson } from '../http/readJson.ts'
import { ASK_AGAIN, jsonReply, NO_STORE } from '../http/respond.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { plainText } from '../live/plainText.ts'
import { revokedSince } from '../receipts/verify.ts'
import { digestOfSecret, newSecret, Secret } from './secret.ts'
import { createShelf } from './shelf.ts'

export const PATRON_PATH = '/patron'
const PATRON_KEPT_MS = 365 * DAY
const PATRONS_MAX = 5_000
const SHOWN_MAX = 100
const NAME_MAX_CHARS = 40
export const PATRON_MAX_BYTES = 4 * 1024

const AttestationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'is not an attestation id')
const Named = z.strictObject({
  consent: z.literal(true), //  the name is public
  attestationId: AttestationId, // of the receipt of a tip
  name: z
    .string()
    .max(NAME_MAX_CHARS)
    .refine((text) => plainText(text) !== '', 'is empty'),
})
const Unnamed = z.strictObject({
  consent: z.literal(false),
  attestationId: AttestationId,
  deleteToken: Secret,
})

/** Body of POST /patron: a name for the list, paid for by a tip, or its removal. */
export const PatronBody = z.discriminatedUnion('consent', [Named, Unnamed])

/** Answer of GET /patron. */
export const Patrons = z.object({
  ok: z.literal(true),
  mode: z.string(),
  tip: z.object({ sku: z.string(), minUsdc: z.number(), maxUsdc: z.number(), how: z.string() }),
  patrons: z.array(z.object({ name: z.string() })), // newest first; only those who asked to be named
})

/** Rows from before 2026-11-23 do not say which receipt they belong to, and stay until their year is over. */
const Row = z.object({ name: z.string(), deleteDigest: z.string(), attestationId: z.string().optional() })
const Receipt = z.looseObject({ payload: z.looseObject({ sku: z.string() }) })

export function createPatrons(redis: Redis, ledger: Pick<Ledger, 'attestation' | 'revokedMs'>, mode: string) {
  const shelf = createShelf(redis, { name: 'patrons', schema: Row, ttlMs: PATRON_KEPT_MS, max: PATRONS_MAX })

  const isRevoked = async (attestationId: string) => (await revokedSince(attestationId, ledger)) !== null

  async function name({ attestationId, name }: z.infer<typeof Named>): Promise<Reply | Problem> {
    const receipt = await ledger.attestation(attestationId)
    if (receipt === null || Receipt.parse(JSON.parse(receipt)).payload.sku !== tip.sku)
      return { problem: 'invalid_parameter', detail: 'attestationId: is not the receipt of a tip.' }
    if (await isRevoked(attestationId))
      return { problem: 'invalid_parameter', detail: 'attestationId: the money of this tip went back.' }
    const deleteToken = newSecret('delete')
    const kept = await shelf.keep(attestationId, {
      name: plainText(name),
      deleteDigest: digestOfSecret(deleteToken),
      attestationId,
    })
    if (kept === 'full') return { problem: 'shelf_full', retryAfterS: 3_600 }
    if (kept === 'there')
      return { problem: 'invalid_parameter', detail: 'attestationId: this tip already has a name.' }
    return jsonReply(201, { ok: true, attestationId, deleteToken }, [NO_STORE])
  }

  async function remove({ attestationId, deleteToken }: z.infer<typeof Unnamed>): Promise<Reply | Problem> {
    const row = await shelf.find(attestationId)
    if (row === null || row.deleteDigest !== digestOfSecret(deleteToken)) return { problem: 'kept_unknown' }
    await shelf.remove(attestationId)
    return jsonReply(200, { ok: true, deleted: true }, [NO_STORE])
  }

  return {
    async post(request: HttpRequest): Promise<Reply | Problem> {
      const read = await readJson(request, PatronBody, PATRON_MAX_BYTES)
      if (isProblem(read)) return read
      return read.body.consent ? name(read.body) : remove(read.body)
    },

    async list(): Promise<Reply> {
      const newest = await shelf.newest(SHOWN_MAX)
      const gone = await Promise.all(newest.map(({ attestationId: id }) => (id ? isRevoked(id) : false)))
      const patrons = newest.filter((_, index) => gone[index] === false)
      const shown = {
        ok: true,
        mode,
        tip: {
          sku: tip.sku,
          minUsdc: usdcNumber(TIP_MIN_MICRO_USDC),
          maxUsdc: usdcNumber(TIP_MAX_MICRO_USDC),
          how: 'POST /purchase-intent with this sku and options.tipUsdc, pay, POST /fulfill with intentId and the same buyerId; then POST /patron {consent: true, attestationId, name} to be named here.',
        },
        patrons: patrons.map(({ name }) => ({ name })),
      } satisfies z.infer<typeof Patrons>
      return jsonReply(200, shown, [ASK_AGAIN]) //  a name that was removed is shown no more
    },
  }
}
