import { DAY } from '../../../ops/units.ts'
import { PERMIT_HEADER, PERMIT_LIFETIME_MS, PERMIT_PATH, TOOL_TRIAL_USES } from '../../entitlements/permit.ts'
import { UNLOCK_VERIFY_PATH, UNLOCK_YEARS } from '../../entitlements/unlock.ts'
import { torCall } from '../../goods/grants/torCall.ts'
import { torMcpPro } from '../../goods/services/torMcpPro.ts'
import { money } from './prices.ts'
import type { SitePage } from './sitePage.ts'

/** The locally run tool: not hosted here; what we sell, count and verify for it. */
export const torMcp: SitePage = {
  place: 'localTool',
  description: 'What is free, what a permit and an unlock key are, how they are redeemed and verified.',
  content: ({ publicUrl }) => ({
    lead: [
      'The tool is open source and runs on your own machine. It is **not hosted and not distributed here**: this service sells permits and unlock keys for it, counts them, and says whether one is valid.',
    ],
    sections: [
      {
        id: 'free',
        title: 'What is free',
        blocks: [
          {
            list: [
              `${TOOL_TRIAL_USES} successful billable uses, counted by the tool itself.`,
              'A use that fails does not count.',
              'Changing the circuit is always free.',
            ],
          },
        ],
      },
      {
        id: 'permit',
        title: 'A permit: one metered call',
        blocks: [
          {
            p: `[${torCall.path}](${torCall.path}) sells one for ${money(torCall.priceMicroUsdc)}. It is good for ${PERMIT_LIFETIME_MS / DAY} days and one call. The tool redeems it before it does metered work:`,
          },
          {
            code: `curl -s ${publicUrl}${PERMIT_PATH} \\
  -H '${PERMIT_HEADER}: <PERMIT_TOKEN>' -H 'Idempotency-Key: call-0001'`,
            language: 'sh',
            name: 'Redeem a permit',
          },
          {
            p: 'The answer is `torCallPermit {granted, redemptionId, callsRemaining, expiresAt}`. With an `Idempotency-Key` a lost reply can be asked for again within five minutes: the same redemption, nothing more taken. Why a permit is refused is not disclosed ([permit_refused](/errors#permit_refused)).',
          },
        ],
      },
      {
        id: 'unlock',
        title: 'An unlock key: no meter',
        blocks: [
          {
            p: `\`${torMcpPro.sku}\` costs ${money(torMcpPro.priceMicroUsdc)}, by [classic purchase](/checkout-help) or by card. The key comes inline as \`result.torUnlock.unlockKey\` and works for ${UNLOCK_YEARS} years, until its \`expiresAt\`. Keep it like a password.`,
          },
          {
            code: `curl -s ${publicUrl}${UNLOCK_VERIFY_PATH} \\
  -H 'content-type: application/json' -d '{"unlockKey":"<UNLOCK_KEY>"}'`,
            language: 'sh',
            name: 'Verify an unlock key: {ok, mode, valid, expiresAt}',
          },
        ],
      },
    ],
  }),
  data: () => ({
    hosted: false,
    freeTrial: { billableUses: TOOL_TRIAL_USES, failuresCount: false, circuitRotationCounts: false },
    permit: { path: torCall.path, sku: torCall.sku, redeem: PERMIT_PATH, header: PERMIT_HEADER },
    unlock: { sku: torMcpPro.sku, verify: UNLOCK_VERIFY_PATH },
  }),
}
