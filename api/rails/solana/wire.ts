import { z } from 'zod'
import { UnavailableError } from '../../../ops/errors.ts'
import { refuseSolanaAddress } from '../receivers/refuseReceiver.ts'

/** Lamports as a JSON number: balances above 2^53 are not ours, and not exact. */
const Lamports = z.number().nonnegative().refine(Number.isInteger)
const SYSTEM_PROGRAM = '1'.repeat(32)
const Account = z.string().refine((text) => refuseSolanaAddress(text) === null || text === SYSTEM_PROGRAM)

/** `getTransaction` with encoding json, only the fields we need: who is named, and all balances before and after. */
const Transaction = z.object({
  slot: z.int().nonnegative(),
  blockTime: z.int().nullish(),
  transaction: z.object({
    signatures: z.array(z.string()).min(1),
    message: z.object({ accountKeys: z.array(Account).min(1) }),
  }),
  meta: z.object({
    err: z.unknown(),
    fee: Lamports,
    preBalances: z.array(Lamports),
    postBalances: z.array(Lamports),
    loadedAddresses: z.object({ writable: z.array(Account), readonly: z.array(Account) }).nullish(),
  }),
})
export type SolanaTransaction = z.infer<typeof Transaction>

const Signatures = z.array(
  z.object({ signature: z.string(), err: z.unknown(), blockTime: z.int().nullish() }),
)
export type SolanaSignature = z.infer<typeof Signatures>[number]

export const readTransaction = (answer: unknown) => read(Transaction, 'getTransaction', answer)
/** A slot or a time. */
export const readWhole = (answer: unknown) => read(z.int().nonnegative(), 'a whole number', answer)
export const readSignatures = (answer: unknown) => read(Signatures, 'getSignaturesForAddress', answer)

function read<T>(schema: z.ZodType<T>, what: string, answer: unknown): T {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new UnavailableError('chain_unavailable', `${what}: the node's answer has another shape`)
}
