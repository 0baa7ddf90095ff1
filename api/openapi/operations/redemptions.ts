import { z } from 'zod'
import { PERMIT_PATH } from '../../entitlements/permit.ts'
import { UNLOCK_VERIFY_PATH } from '../../entitlements/unlock.ts'
import { UNLOCK_MAX_BYTES, UnlockBody, UnlockVerdict } from '../../redeem/torUnlock.ts'
import { atMost, json, type Operation } from '../operation.ts'

const Redeemed = z.object({
  ok: z.literal(true),
  mode: z.string(),
  torCallPermit: z.object({
    granted: z.literal(true),
    redemptionId: z.string(),
    callsRemaining: z.int().min(0),
    expiresAt: z.iso.datetime(),
  }),
})
const EXPIRES = '2026-12-21T12:00:00.000Z'

/** Where tokens of the locally run tool are spent and checked. */
export const REDEMPTIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: PERMIT_PATH,
    id: 'redeemTorCallPermit',
    tag: 'access',
    summary: 'Takes one call of a tool permit',
    description:
      'The tool asks here before it does metered work. With an Idempotency-Key a lost reply can be asked for again within five minutes and takes nothing more.',
    token: ['torPermit'],
    parameters: [
      {
        in: 'header',
        name: 'Idempotency-Key',
        description: 'Same key for the same call, also when you retry; 1 to 64 visible ASCII characters',
        example: 'call-17',
      },
    ],
    answers: {
      200: {
        description: 'The call is granted',
        content: json(Redeemed, {
          ok: true,
          mode: 'sandbox',
          torCallPermit: {
            granted: true,
            redemptionId: '0'.repeat(32),
            callsRemaining: 0,
            expiresAt: EXPIRES,
          },
        } satisfies z.infer<typeof Redeemed>),
      },
    },
    problems: ['permit_missing', 'permit_refused', 'malformed_request', 'ledger_unavailable'],
  },
  {
    method: 'POST',
    path: UNLOCK_VERIFY_PATH,
    id: 'verifyTorUnlock',
    tag: 'access',
    summary: 'Whether an unlock key of the local tool is one that was sold',
    body: {
      schema: UnlockBody,
      example: { unlockKey: 'unlock_...' },
      limit: atMost(UNLOCK_MAX_BYTES),
    },
    answers: {
      200: {
        description: 'The verdict; why a key is refused is not disclosed',
        content: json(UnlockVerdict, {
          ok: true,
          mode: 'sandbox',
          valid: true,
          expiresAt: '2036-11-19T12:00:00.000Z',
        }),
      },
    },
    problems: ['malformed_request', 'invalid_parameter', 'body_too_large', 'ledger_unavailable'],
  },
]
