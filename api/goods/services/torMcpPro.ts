import { z } from 'zod'
import { TOOL_TRIAL_USES } from '../../entitlements/permit.ts'
import { UNLOCK_VERIFY_PATH, UNLOCK_YEARS, unlockGrant } from '../../entitlements/unlock.ts'
import { UnlockGrant } from '../grants/shapes.ts'
import { defineService, usd } from './service.ts'

/**
 * A license for the locally run tool (spec 2.3). The tool is not part of this service: it asks us whether a key is
 * valid.
 */
export const torMcpPro = defineService({
  sku: 'SKU_TOR_MCP_PRO',
  title: 'Tool license',
  description: `Unlocks the locally run anonymizing-network tool beyond its free trial of ${TOOL_TRIAL_USES} successful billable uses. The unlock key comes inline and works for ${UNLOCK_YEARS} years; it is verified at ${UNLOCK_VERIFY_PATH}.`,
  listPriceMicroUsdc: usd(19),
  priceMicroUsdc: usd(12, 35),
  input: z.object({}),
  output: UnlockGrant,
  grant: unlockGrant,
  answer: () => ({ result: {}, snapshotVersion: null }),
  presented: {
    type: 'license',
    collection: 'tools',
    tagline: 'The tool without the meter',
    deliveryNote: `The unlock key is in the answer, at once, and works for ${UNLOCK_YEARS} years; keep it like a password.`,
    delivers: 'torUnlock {unlockKey, expiresAt, verifyUrl}; plus paymentAttestation',
    cardCheckout: true,
    promoted: true,
  },
})
