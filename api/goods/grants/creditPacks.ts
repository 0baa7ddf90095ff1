import { z } from 'zod'
import { MICRO_PER_USDC } from '../../../ops/units.ts'
import { SECRET_EXAMPLE } from '../../entitlements/credit.ts'
import { defineGood, type Good } from '../good.ts'
import { AGENT_HEADER } from '../market/agentHeader.ts'
import { CreditGrant } from './shapes.ts'

const CREDIT_HEADERS: Good<unknown>['headers'] = [
  ...AGENT_HEADER,
  {
    name: 'X-Service-Credit-Auth',
    required: false,
    description:
      'A secret of your own (16 to 256 visible ASCII characters) that locks the credit for your agent id; without it the answer has a one-time claimCode',
    example: SECRET_EXAMPLE,
  },
]

/** Prepaid store credit (spec 4.1 rule 14): sold at face value, and not for credit. */
const creditPack = (usdc: bigint) =>
  defineGood({
    sku: `SKU_AG_CREDITS_${usdc.toString().padStart(2, '0')}`,
    path: `/x402/v1/credits-${usdc}`,
    title: `${usdc} USD of store credit`,
    description: `${usdc} USD to spend on any read, without a settlement each time. Returns storeCredit {creditUsdc, balanceUsdc, spendHint}.`,
    listPriceMicroUsdc: usdc * MICRO_PER_USDC,
    priceMicroUsdc: usdc * MICRO_PER_USDC,
    parameters: [],
    headers: CREDIT_HEADERS,
    input: z.object({}),
    delivers: 'storeCredit {creditUsdc, balanceUsdc, spendHint}',
    output: CreditGrant,
    creditMicroUsdc: usdc * MICRO_PER_USDC,
    answer: () => ({ result: {}, snapshotVersion: null }),
  })

export const CREDIT_PACKS = [2n, 5n, 10n].map(creditPack)
