import type { Good } from '../goods/good.ts'
import type { Listing } from '../settlement/settlement.ts'
import { SERVICE_NAME } from '../storefront/service.ts'
import { BAZAAR, bazaarOf } from './extensions/bazaar.ts'

/** How a good is described to those who list services: buyers in the 402, facilitators with each payment. */
export const listingOf = (good: Good<unknown>, url: string): Listing => ({
  resource: {
    url,
    description: good.description,
    mimeType: 'application/json',
    serviceName: SERVICE_NAME,
  },
  extensions: { [BAZAAR]: bazaarOf(good) },
})
