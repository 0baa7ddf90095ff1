import type { Document } from '../document.ts'
import { TEXT_TYPE } from '../document.ts'
import { markdownLink, PLACES, type PlaceName } from '../places.ts'
import { goodsInBrief } from '../prose.ts'
import { SERVICE_NAME } from '../service.ts'

const READ_FIRST: readonly PlaceName[] = ['services', 'skill', 'openapi', 'mcp']
const FREE: readonly PlaceName[] = ['venueWire', 'alphaPreview', 'live']
const OPTIONAL: readonly PlaceName[] = [
  'llmsFull',
  'store',
  'rails',
  'toolbox',
  'receiptOracle',
  'quickstart',
  'errors',
]

/** `/llms.txt`: the service in a few hundred tokens. Everything it leaves out is one link away. */
export const llms: Document = {
  path: PLACES.llms.path,
  type: TEXT_TYPE,
  text: (facts) => {
    const links = (names: readonly PlaceName[]) => names.map((name) => markdownLink(facts.publicUrl, name))
    return `${[
      `# ${SERVICE_NAME}`,
      '',
      `> Paid HTTP reads for agents: prices across two prediction-market venues, text checks, receipts. x402 version 2, USDC on ${facts.terms.network}. No account, no key. Mode: ${facts.mode}.`,
      '',
      `To buy: GET ${facts.publicUrl}/x402/v1/NAME answers 402 with header PAYMENT-REQUIRED; sign its offer (EIP-3009), repeat the GET with header PAYMENT-SIGNATURE, get 200 with the answer and a signed receipt. No reply or 503: resend the same payment, it is charged once.`,
      '',
      `NAME, price in USD, query parameters: ${goodsInBrief(facts)}.`,
      '',
      '## Docs',
      ...links(READ_FIRST),
      '',
      '## Free',
      ...links(FREE),
      '',
      '## Optional',
      ...links(OPTIONAL),
    ].join('\n')}\n`
  },
}
