import { FEED_HEADER, MARKETPLACE_HEADER } from '../entitlements/feedToken.ts'
import { PERMIT_HEADER } from '../entitlements/permit.ts'

/** Bearer tokens that open a path by themselves. They are bought; nobody has an account. */
const SCHEMES = {
  feedToken: { header: FEED_HEADER, description: 'Token of bot-fuel-day, alpha-day or alpha-7d' },
  marketplaceToken: { header: MARKETPLACE_HEADER, description: 'Token of the 30-day feed' },
  torPermit: { header: PERMIT_HEADER, description: 'Permit of tor-call, for one call' },
} as const

export type SchemeName = keyof typeof SCHEMES

export const securitySchemes = () =>
  Object.fromEntries(
    Object.entries(SCHEMES).map(([name, { header, description }]) => [
      name,
      { type: 'apiKey', in: 'header', name: header, description },
    ]),
  )
