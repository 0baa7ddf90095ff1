import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Home } from './home.ts'
import { creditKeyOf, keepToken, type Token } from './tokens.ts'

const Passed = z.looseObject({
  token: z.string(),
  expiresAt: z.string(),
  callsRemaining: z.int(),
})
const Fed = z.looseObject({
  feedAccess: z.looseObject({
    feedToken: z.string(),
    expiresAt: z.string(),
    jsonFeedUrl: z.string().refine((text) => URL.canParse(text, 'https://any.example')),
    header: z.string().default('X-Service-Feed-Token'),
  }),
})
const Credited = z.looseObject({
  storeCredit: z.looseObject({
    balanceUsdc: z.number(),
    claimCode: z.string().optional(),
    account: z.string().optional(),
  }),
})

const SECRET_BYTES = 32
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

/**
 * Keeps what an answer entitles to, whichever command bought it: pass, feed token, store credit.
 * @param agentId whose credit it is when it comes with a claim code.
 */
export async function keepEntitlements(
  home: Home,
  base: string,
  result: Record<string, unknown>,
  agentId: string,
): Promise<Token | null> {
  const token = await tokenIn(home, base, result, agentId)
  if (token !== null) await keepToken(home, token)
  return token
}

async function tokenIn(
  home: Home,
  base: string,
  result: Record<string, unknown>,
  agentId: string,
): Promise<Token | null> {
  const fed = Fed.safeParse(result).data?.feedAccess
  if (fed !== undefined) {
    const { feedToken, header, jsonFeedUrl, expiresAt } = fed
    const url = new URL(base) //  the token is sent to its seller, whatever the answer says
    url.pathname = new URL(jsonFeedUrl, base).pathname
    return { kind: 'feed', base, token: feedToken, header, url: url.href, expiresAt }
  }
  const passed = Passed.safeParse(result).data
  if (passed !== undefined) {
    const { token, expiresAt, callsRemaining } = passed
    return { kind: 'pass', base, token, expiresAt, callsRemaining }
  }
  const credited = Credited.safeParse(result).data?.storeCredit
  if (credited === undefined) return null
  const key = await creditKeyOf(home, base, credited.account ?? agentId)
  //  credit of an account whose secret is not kept here can only be spent by whoever holds that secret
  if (key === null && credited.claimCode === undefined) return null
  return {
    kind: 'credit',
    base,
    agentId: key?.agentId ?? agentId,
    secret: key?.secret ?? newSecret(),
    claimCode: credited.claimCode ?? key?.claimCode ?? null,
    balanceUsdc: credited.claimCode === undefined ? String(credited.balanceUsdc) : null,
  }
}
