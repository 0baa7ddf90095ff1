import { z } from 'zod'
import { DAY } from '../../../ops/units.ts'
import { feedGrant, MARKETPLACE_HEADER, MARKETPLACE_SKU } from '../../entitlements/feedToken.ts'
import { isProblem } from '../../errors.ts'
import { FeedGrant } from '../grants/shapes.ts'
import { freshBoard, NOT_FRESH } from '../market/freshness.ts'
import { defineService, usd } from './service.ts'

const DAYS = 30

/** A month of the alpha feed (spec 2.3), read with header X-Marketplace-Token. Not sold while there is nothing to tell. */
export const signalFeed = defineService({
  sku: MARKETPLACE_SKU,
  title: 'Alpha feed for a month',
  description:
    'A token for 30 days of the alpha feed: every gap card as it opens, changes and closes, by polling, server-sent events or WebSocket. Sent as X-Marketplace-Token.',
  listPriceMicroUsdc: usd(39),
  priceMicroUsdc: usd(25, 35),
  input: z.object({}),
  output: FeedGrant,
  refusals: NOT_FRESH,
  grant: feedGrant(DAYS * DAY, MARKETPLACE_HEADER),
  answer(_, ports) {
    const fresh = freshBoard('gapCards', ports)
    return isProblem(fresh) ? fresh : { result: {}, snapshotVersion: null }
  },
  presented: {
    type: 'service',
    collection: 'feeds',
    tagline: 'Thirty days of every gap card',
    deliveryNote: 'The token is in the answer, at once.',
    delivers:
      'feedAccess {feedToken, expiresAt, header, jsonFeedUrl, streamUrl, venueWireUrl}; plus paymentAttestation',
    cardCheckout: true,
    promoted: true,
  },
})
