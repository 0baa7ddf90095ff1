import { agents } from './agents.ts'
import { catalog } from './catalog.ts'
import { checkoutHelp } from './checkoutHelp.ts'
import { commerce } from './commerce.ts'
import { docs } from './docs.ts'
import { errors } from './errors.ts'
import { quickstart } from './quickstart.ts'
import { receiptOracle } from './receiptOracle.ts'
import type { SitePage } from './sitePage.ts'
import { torMcp } from './torMcp.ts'

/** Every page that is made of the facts alone. Adding one is adding one file and one line. */
export const SITE_PAGES: readonly SitePage[] = [
  catalog,
  quickstart,
  agents,
  commerce,
  docs,
  checkoutHelp,
  receiptOracle,
  torMcp,
  errors,
]
