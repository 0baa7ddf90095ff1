import { z } from 'zod'
import { Mode } from '../../../ops/mode.ts'
import type { Rail, RailRecord } from '../../rails/rail.ts'
import { jsonDocument } from '../document.ts'
import type { Facts } from '../facts.ts'
import { Links, linksTo, PLACES } from '../places.ts'
import { SettlerRecord } from '../settlerRecord.ts'
import { PublishedRails } from '../shapes.ts'

const LINKS = ['services', 'checkoutHelp', 'commerce'] as const

const PaymentRails = z.object({
  ok: z.literal(true),
  mode: Mode,
  ...PublishedRails,
  deposits: z
    .array(
      z.object({
        id: z.literal('sol_base'),
        chain: z.literal('base'),
        asset: z.literal('SOL'),
        receiverAddress: z.string(),
      }),
    )
    .describe('Ours, but what arrives there pays for nothing by itself'),
  usdcContract: z.string(),
  network: z.string().describe('CAIP-2'),
  settler: SettlerRecord,
  note: z.string(),
  links: Links(LINKS),
})

/** `/payment-rails` (spec 2.4): how one can pay, what is not available here, and who settles signed payments. */
export const paymentRails = (facts: Facts): z.input<typeof PaymentRails> => ({
  ok: true,
  mode: facts.mode,
  defaultRail: facts.rails.rails.find(({ agentDefault }) => agentDefault)?.id ?? null,
  rails: facts.rails.rails.map((rail) => ({ ...recordOf(rail), available: true, discovers: rail.discovers })),
  unavailable: [...facts.rails.unavailable],
  deposits: [...facts.rails.deposits],
  usdcContract: facts.terms.asset,
  network: facts.terms.network,
  settler: facts.settler,
  note: 'A rail is for a transfer you make yourself, quoted by POST /purchase-intent. Paid GETs take a signed USDC authorization on the default rail and need no transfer. Deposit addresses pay for nothing by themselves.',
  links: linksTo(facts.publicUrl, LINKS),
})

/** The published part of a rail, which has methods as well. */
function recordOf(rail: Rail): RailRecord & { alternateReceivers: string[] } {
  const { id, label, chain, asset, receiverAddress, alternateReceivers, explorer, wallet, agentDefault } =
    rail
  return {
    id,
    label,
    chain,
    asset,
    receiverAddress,
    alternateReceivers: [...alternateReceivers],
    explorer,
    wallet,
    agentDefault,
  }
}

export const rails = jsonDocument(PLACES.rails.path, PaymentRails, paymentRails)
