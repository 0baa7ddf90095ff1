import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { z } from 'zod'

/** What `getTransaction` answers with encoding json: the fields a reader looks at, in the node's own shape. */
export const Transaction = z.object({
  slot: z.int(),
  blockTime: z.int(),
  version: z.union([z.literal('legacy'), z.literal(0)]),
  transaction: z.object({
    signatures: z.array(z.string()).min(1),
    message: z.looseObject({ accountKeys: z.array(z.string()) }),
  }),
  meta: z.looseObject({
    err: z.unknown(),
    fee: z.int(),
    preBalances: z.array(z.int()),
    postBalances: z.array(z.int()),
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }),
  }),
})
export type Transaction = z.infer<typeof Transaction>

const SYSTEM_PROGRAM = '11111111111111111111111111111111'
const FEE_LAMPORTS = 5_000
const RICH = 1_000_000_000_000

export const newAddress = (): string => base58.encode(randomBytes(32))
export const newSignature = (): string => base58.encode(randomBytes(64))

/** An ordinary transfer by the system program, mined now. */
export function transfer({
  from = newAddress(),
  to,
  lamports,
  nowMs,
  slot,
}: {
  from?: string
  to: string
  lamports: number
  nowMs: number
  slot: number
}): Transaction {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2, 0) //  SystemInstruction::Transfer
  data.writeBigUInt64LE(BigInt(lamports), 4)
  return {
    slot,
    blockTime: Math.floor(nowMs / 1_000),
    version: 'legacy',
    transaction: {
      signatures: [newSignature()],
      message: {
        accountKeys: [from, to, SYSTEM_PROGRAM],
        header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
        instructions: [{ accounts: [0, 1], data: base58.encode(data), programIdIndex: 2, stackHeight: 1 }],
        recentBlockhash: newAddress(),
      },
    },
    meta: {
      err: null,
      status: { Ok: null },
      fee: FEE_LAMPORTS,
      computeUnitsConsumed: 150,
      preBalances: [RICH, 0, 1],
      postBalances: [RICH - lamports - FEE_LAMPORTS, lamports, 1],
      preTokenBalances: [],
      postTokenBalances: [],
      innerInstructions: [],
      logMessages: [],
      rewards: [],
      loadedAddresses: { writable: [], readonly: [] },
    },
  }
}
