import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { readAll, removeFile, writePrivateJson } from './files.ts'
import type { Home } from './home.ts'

const Origin = z.url({ protocol: /^https?$/ })

export const PassToken = z.object({
  kind: z.literal('pass'),
  base: Origin,
  token: z.string(),
  expiresAt: z.string(), //         ISO 8601
  callsRemaining: z.int(), //       as the service last said
})
export type PassToken = z.infer<typeof PassToken>

export const FeedToken = z.object({
  kind: z.literal('feed'),
  base: Origin,
  token: z.string(),
  header: z.string(), //            the one it is sent in
  url: z.string(),
  expiresAt: z.string(),
})
export type FeedToken = z.infer<typeof FeedToken>

/** The balance a service states for an account, in USD; null for anything else it says there, which is never shown. */
export const Balance = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,6})?$/)
  .nullable()
  .catch(null)

/** A secret that locks store credit for one agent id. `claimCode`: not null until credit that waits for it is claimed. */
export const CreditKey = z.object({
  kind: z.literal('credit'),
  base: Origin,
  agentId: z.string(),
  secret: z.string(),
  claimCode: z.string().nullable(),
  balanceUsdc: Balance, //              as the service last said; null: it never did
})
export type CreditKey = z.infer<typeof CreditKey>

const Token = z.discriminatedUnion('kind', [PassToken, FeedToken, CreditKey])
export type Token = z.infer<typeof Token>

/** One file each, so that two commands at once never write over each other's tokens. */
function fileOf({ tokensDir }: Home, token: Token): string {
  const identity = token.kind === 'credit' ? `${token.base}|${token.agentId}` : token.token
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16)
  return join(tokensDir, `${token.kind}-${digest}.json`)
}

export const keepToken = (home: Home, token: Token): Promise<void> =>
  writePrivateJson(fileOf(home, token), token)

export const forgetToken = (home: Home, token: Token): Promise<void> => removeFile(fileOf(home, token))

async function tokensOf<Kind extends Token['kind']>(
  { tokensDir }: Home,
  kind: Kind,
  base: string,
): Promise<Extract<Token, { kind: Kind }>[]> {
  const all = (await readAll(tokensDir, Token)).map(({ value }) => value)
  return all.filter(
    (token): token is Extract<Token, { kind: Kind }> => token.kind === kind && token.base === base,
  )
}

const lasting = (nowMs: number) => (token: { expiresAt: string }) => Date.parse(token.expiresAt) > nowMs

/** Passes that may still pay, the one that ends first at the front. */
export const goodPasses = async (home: Home, base: string, nowMs: number): Promise<PassToken[]> =>
  (await tokensOf(home, 'pass', base))
    .filter(lasting(nowMs))
    .filter(({ callsRemaining }) => callsRemaining > 0)
    .sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt))

/** Feed tokens that have not ended, the one that lasts longest at the front. */
export const goodFeedTokens = async (home: Home, base: string, nowMs: number): Promise<FeedToken[]> =>
  (await tokensOf(home, 'feed', base))
    .filter(lasting(nowMs))
    .sort((a, b) => Date.parse(b.expiresAt) - Date.parse(a.expiresAt))

export const creditKeys = (home: Home, base: string): Promise<CreditKey[]> => tokensOf(home, 'credit', base)

const sameAgent = (a: string, b: string): boolean =>
  a === b || (/^0x[0-9a-fA-F]{40}$/.test(a) && a.toLowerCase() === b.toLowerCase())

export const creditKeyOf = async (home: Home, base: string, agentId: string): Promise<CreditKey | null> =>
  (await creditKeys(home, base)).find((key) => sameAgent(key.agentId, agentId)) ?? null
