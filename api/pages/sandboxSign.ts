import { z } from 'zod'

export const SANDBOX_SIGN_PATH = '/sandbox/sign'
export const SIGN_MAX_BYTES = 4 * 1024

/** The request to the test wallet: to pay this entry of `accepts[]`. What else the caller sends is not read. */
export const SignAsked = z.object({
  accepted: z.looseObject({
    scheme: z.literal('exact'),
    network: z.string(),
    asset: z.string(),
    payTo: z.string(),
    amount: z.string(),
    maxTimeoutSeconds: z.int().positive().max(3_600),
  }),
})

/** The wallet's answer: the payload of a payment. Numbers are decimal text. */
export const Signed = z.object({
  ok: z.literal(true),
  mode: z.literal('sandbox'),
  payload: z.object({
    signature: z.string(),
    authorization: z.object({
      from: z.string(),
      to: z.string(),
      value: z.string(),
      validAfter: z.string(),
      validBefore: z.string(),
      nonce: z.string(),
    }),
  }),
})
