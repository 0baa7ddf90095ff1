import type { Ledger } from '../ledger/ledger.ts'
import { type Grant, isRevoked } from './grant.ts'
import { digestOfToken, isToken } from './token.ts'

export const FEED_PATH = '/api/v1/alpha-feed'
export const FEED_STREAM_PATH = '/api/v1/stream'
export const FEED_HEADER = 'X-Service-Feed-Token'
/** The 30-day feed: its token is sent in a header of its own (spec 4.2). */
export const MARKETPLACE_SKU = 'SKU_SIGNAL_FEED_29'
export const MARKETPLACE_HEADER = 'X-Marketplace-Token'

/** A token for the alpha feed that lasts from its delivery on. */
export const feedGrant = (lifetimeMs: number, header = FEED_HEADER): Grant => ({
  kind: 'feed',
  issue({ token, nowMs, publicUrl }) {
    const expiresMs = nowMs + lifetimeMs
    const expiresAt = new Date(expiresMs).toISOString()
    const jsonFeedUrl = `${publicUrl}${FEED_PATH}`
    return {
      expiresMs,
      fields: {},
      result: {
        token,
        expiresAt,
        feedUrl: jsonFeedUrl,
        feedAccess: {
          feedToken: token,
          expiresAt,
          header,
          jsonFeedUrl,
          streamUrl: `${publicUrl.replace(/^http/, 'ws')}${FEED_STREAM_PATH}`,
          venueWireUrl: `${publicUrl}/venue-wire/gaps`,
        },
      },
    }
  },
})

/** `expiresMs` and `nowMs` by the ledger's clock. */
export type KnownFeedToken = { expiresMs: number; nowMs: number; sku: string; isRevoked: boolean }

/** Looks a feed token up in the ledger, in one turn; null: none of ours. An expired one is still known for a month. */
export const createFeedAccess = (ledger: Pick<Ledger, 'grant' | 'nowMs'>) => ({
  async check(token: string): Promise<KnownFeedToken | null> {
    if (!isToken(token, 'feed')) return null
    const [row, nowMs] = await Promise.all([ledger.grant('feed', digestOfToken(token)), ledger.nowMs()])
    if (row === null) return null
    return { expiresMs: row.expiresMs, nowMs, sku: row.sku, isRevoked: isRevoked(row, nowMs) }
  },
})
