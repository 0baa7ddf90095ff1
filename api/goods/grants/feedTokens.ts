import { z } from 'zod'
import { DAY } from '../../../ops/units.ts'
import { feedGrant } from '../../entitlements/feedToken.ts'
import { isProblem } from '../../errors.ts'
import { defineGood, type Good } from '../good.ts'
import { AGENT_HEADER } from '../market/agentHeader.ts'
import { freshBoard, NOT_FRESH } from '../market/freshness.ts'
import { FeedGrant } from './shapes.ts'

/** Tokens for `GET /api/v1/alpha-feed` and the WebSocket stream (spec 4.1, 8). Not sold while there is nothing to tell. */
const feedToken = (
  good: Pick<Good<unknown>, 'sku' | 'path' | 'title' | 'description' | 'delivers' | 'priceMicroUsdc'> & {
    days: number
  },
) =>
  defineGood({
    ...good,
    listPriceMicroUsdc: good.priceMicroUsdc,
    parameters: [],
    headers: AGENT_HEADER,
    input: z.object({}),
    output: FeedGrant,
    refusals: NOT_FRESH,
    grant: feedGrant(good.days * DAY),
    answer(_, ports) {
      const fresh = freshBoard('gapCards', ports)
      return isProblem(fresh) ? fresh : { result: {}, snapshotVersion: null }
    },
  })

export const botFuelDay = feedToken({
  sku: 'SKU_AG_BOT_FUEL_24H',
  path: '/x402/v1/bot-fuel-day',
  title: 'Gap card feed for a day',
  description:
    'A token for 24 hours of the alpha feed: every gap card as it opens, changes and closes, by polling, server-sent events or WebSocket.',
  priceMicroUsdc: 1_490_000n,
  delivers: 'feedAccess {feedToken, expiresAt, jsonFeedUrl, venueWireUrl}, 24 hours',
  days: 1,
})

export const alphaDay = feedToken({
  sku: 'SKU_AG_ALPHA_24H',
  path: '/x402/v1/alpha-day',
  title: 'Alpha feed for a day (legacy)',
  description: 'A token for 24 hours of the alpha feed. The same feed as bot-fuel-day.',
  priceMicroUsdc: 1_190_000n,
  delivers: 'token, expiresAt, feedUrl; 24 hours',
  days: 1,
})

export const alpha7d = feedToken({
  sku: 'SKU_AG_ALPHA_7D',
  path: '/x402/v1/alpha-7d',
  title: 'Alpha feed for seven days',
  description: 'A token for seven days of the alpha feed, by polling, server-sent events or WebSocket.',
  priceMicroUsdc: 3_990_000n,
  delivers: 'token, expiresAt, feedUrl; 7 days',
  days: 7,
})
