import type { Good } from '../goods/good.ts'
import type { Listing } from '../settlement/settlement.ts'
import { SERVICE_NAME } from '../storefront/service.ts'
import { BAZAAR, bazaarOf } from './extensions/bazaar.ts'

/** What is told of a good to whoever lists services: buyers in the 402, facilitators with each payment. */
export const listingOf = (good: Good<unknown>, url: string): Listing => ({
  resource: {
    url,
    description: good.description,
    mimeType: 'application/json',
    serviceName: SERVICE_NAME,
  },
  extensions: { [BAZAAR]: bazaarOf(good) },
})
