import { hourPass } from '../goods/grants/hourPass.ts'
import type { Facts } from '../storefront/facts.ts'
import { PLACES } from '../storefront/places.ts'
import { describeService, INTERFACE_VERSION, SERVICE_NAME, SHORT_DESCRIPTION } from '../storefront/service.ts'

const GUIDANCE = `Paid reads: GET the path without payment; the 402 has the price in header PAYMENT-REQUIRED. Sign one entry of accepts[] (x402 version 2, scheme exact, EIP-3009), send the same GET with PAYMENT-SIGNATURE, read result. Unknown outcome or 503: send the same request with the same payment again, never a new one; it is charged once. Refusals are problems with code, retryable and next; nothing is charged for them. Many reads: buy ${hourPass.path} and send X-Service-Pass. Prices in x-payment-info are what is charged.`

const MAILTO = 'mailto:'

export function infoOf(facts: Facts) {
  const { publicUrl, securityContact } = facts
  const link = (place: keyof typeof PLACES): string => `${publicUrl}${PLACES[place].path}`
  return {
    title: SERVICE_NAME,
    version: INTERFACE_VERSION,
    summary: SHORT_DESCRIPTION,
    description: describeService(facts),
    contact: {
      name: SERVICE_NAME,
      url: link('agents'),
      ...(securityContact?.startsWith(MAILTO) ? { email: securityContact.slice(MAILTO.length) } : {}),
    },
    'x-guidance': GUIDANCE,
    'x-agentcash-guidance': { llmsTxtUrl: link('llms') },
    'x-mode': facts.mode,
    'x-recorded': facts.recorded,
  }
}

/** Proof that the payee owns this origin, under the names two directories look for; neither has a word for "none". */
export const provenanceOf = ({ ownershipProofs }: Facts) =>
  ownershipProofs.length === 0
    ? {}
    : { 'x-agentcash-provenance': { ownershipProofs }, 'x-discovery': { ownershipProofs } }
