import { z } from 'zod'
import { defineGood } from './good.ts'

const MAX_ECHO_CHARS = 256

/** Rail canary (spec 4.1 rule 1): echoes, and proves by its receipt that the whole payment path works. */
export const ping = defineGood({
  sku: 'SKU_AG_PING_01',
  path: '/x402/v1/ping',
  title: 'Rail canary',
  description:
    'Returns your echo, the settlement transaction and a signed Ed25519 payment attestation; under an hour pass, which settles nothing, the echo alone. Not market data.',
  listPriceMicroUsdc: 10_000n,
  priceMicroUsdc: 10_000n,
  parameters: [
    {
      name: 'echo',
      required: false,
      description: `Returned as it is; at most ${MAX_ECHO_CHARS} characters`,
      example: 'hello',
    },
  ],
  input: z.object({ echo: z.string().max(MAX_ECHO_CHARS).optional() }),
  delivers: 'ping {ok, echo, txHash}; plus paymentAttestation, but not under an hour pass',
  output: z.object({
    ping: z.object({
      ok: z.literal(true),
      echo: z.string().nullable(),
      txHash: z.string().nullable().describe('Transaction that paid; null under an hour pass'),
    }),
  }),
  answer: ({ echo }) => ({
    result: { ping: { ok: true, echo: echo ?? null, txHash: null } },
    snapshotVersion: null,
  }),
  finish: (result, { transaction }) => ({
    ...result,
    ping: { ...(result.ping as object), txHash: transaction },
  }),
})
