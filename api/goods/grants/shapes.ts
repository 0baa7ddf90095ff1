import { z } from 'zod'

/** What an entitlement is delivered as. Tokens are bearer secrets: whoever has one can spend it. */
const ExpiresAt = z.iso.datetime()

export const FeedGrant = z.object({
  token: z.string(),
  expiresAt: ExpiresAt,
  feedUrl: z.string(),
  feedAccess: z.object({
    feedToken: z.string().describe('The same token'),
    expiresAt: ExpiresAt,
    header: z.string().describe('Header the token is sent in'),
    jsonFeedUrl: z.string(),
    streamUrl: z.string().describe('WebSocket'),
    venueWireUrl: z.string(),
  }),
})

export const PassGrant = z.object({
  token: z.string().describe('Sent as X-Service-Pass on later GETs'),
  expiresAt: ExpiresAt,
  callsRemaining: z.int().min(0),
  header: z.string(),
})

export const PermitGrant = z.object({
  torCallPermit: z.object({
    token: z.string().describe('Sent as X-Service-Permit to redeemUrl'),
    callsRemaining: z.int().min(0),
    redeemUrl: z.string(),
    header: z.string(),
    expiresAt: ExpiresAt,
  }),
})

export const UnlockGrant = z.object({
  torUnlock: z.object({ unlockKey: z.string(), expiresAt: ExpiresAt, verifyUrl: z.string() }),
})

export const CreditGrant = z.object({
  storeCredit: z.object({
    creditUsdc: z.number().min(0).describe('USD that came with this purchase'),
    balanceUsdc: z.number().min(0).describe('USD that can be spent now'),
    account: z.string().optional().describe('The account it went to, if its secret came with the purchase'),
    claimCode: z
      .string()
      .optional()
      .describe('If it did not: sent once as X-Service-Claim-Code, with the first spend'),
    spendHint: z.string(),
  }),
})
