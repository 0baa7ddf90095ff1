import type { Facts } from '../../storefront/facts.ts'
import type { Operation } from '../operation.ts'
import { A2A } from './a2a.ts'
import { CARD } from './card.ts'
import { CLASSIC } from './classic.ts'
import { COMMUNITY } from './community.ts'
import { documentOperations } from './documents.ts'
import { FEED } from './feed.ts'
import { FREE } from './free.ts'
import { MACHINES, sandboxSign } from './machines.ts'
import { RECEIPTS } from './receipts.ts'
import { REDEMPTIONS } from './redemptions.ts'

/** Every route that sells nothing by itself, except those that are not served with this configuration. */
export const operationsOf = (facts: Facts): Operation[] =>
  [
    ...CLASSIC,
    ...CARD,
    ...FEED,
    ...REDEMPTIONS,
    ...RECEIPTS,
    ...FREE,
    ...COMMUNITY,
    ...MACHINES,
    sandboxSign(facts),
    ...A2A,
    ...documentOperations(),
  ].filter(({ when }) => when === undefined || when(facts))
