import { examplesOf } from '../../pages/site/examples.ts'
import { type Document, MARKDOWN_TYPE } from '../document.ts'
import type { Facts } from '../facts.ts'
import { limitsOf } from '../limits.ts'
import { markdownLink, PLACES } from '../places.ts'
import {
  buySteps,
  goodsTable,
  limitsList,
  moneyRules,
  otherWaysToPay,
  receiptRules,
  underHeadings,
} from '../prose.ts'
import { describeService, INTERFACE_VERSION, SERVICE_NAME, SERVICE_SLUG } from '../service.ts'

/** What an agent can rightly use this for; at most 1,024 characters with the rest of the description. */
const WHEN =
  'Use it to compare prices of one question on two prediction-market venues, to get cross-venue gap cards or a feed of them, to count prompt-injection phrases, personal data or key shapes in a text, to repair JSON, check an OpenAPI document, look up public DNS records, triage a log, or to have a hash signed with a date.'

const frontMatter = (facts: Facts): string =>
  [
    '---',
    `name: ${SERVICE_SLUG}`,
    `description: ${JSON.stringify(`Buy small paid HTTP reads over x402 with USDC. ${WHEN}`)}`,
    `compatibility: ${JSON.stringify(`Needs HTTP and a wallet that signs EIP-712 typed data and holds USDC on ${facts.terms.network}`)}`,
    'metadata:',
    `  version: "${INTERFACE_VERSION}"`,
    `  mode: ${facts.mode}`,
    `  base-url: ${JSON.stringify(facts.publicUrl)}`,
    '---',
  ].join('\n')

/** `/skill.md`: how to buy here, as a skill an agent can load as it is. */
export const skill: Document = {
  path: PLACES.skill.path,
  type: MARKDOWN_TYPE,
  text: (facts) => {
    const { publicUrl } = facts
    const passages: [string, string][] = [
      ['What is sold', goodsTable(facts)],
      ['Buy one read', buySteps(facts, '/x402/v1/spread', '?q=fed%20rate')],
      ['With a client library', clientRules(facts)],
      ['Statuses and your money', moneyRules()],
      ['Other ways to pay', otherWaysToPay(facts)],
      ['Check the receipt', receiptRules(facts)],
      ['Limits', limitsList(limitsOf(facts).filter(({ id }) => IN_SKILL.has(id)))],
      [
        'More',
        [
          markdownLink(publicUrl, 'services'),
          markdownLink(publicUrl, 'openapi'),
          markdownLink(publicUrl, 'mcp'),
          markdownLink(publicUrl, 'errors'),
          markdownLink(publicUrl, 'venueWire'),
        ].join('\n'),
      ],
    ]
    return `${frontMatter(facts)}\n\n# ${SERVICE_NAME}\n\n${describeService(facts)}\n\n${underHeadings(passages)}`
  },
}

/** The code shown by /quickstart, whose test runs it. */
function clientRules(facts: Facts): string {
  const { name, code } = examplesOf(facts).find(({ id }) => id === 'typescript')!
  return [
    'The stock x402 clients do steps 1 to 5, with any URL of this service and a wallet. Step 7 is left to you: asked again, they sign a new payment, so keep the header PAYMENT-SIGNATURE that was sent.',
    '',
    `${name}:`,
    '',
    '```ts',
    code,
    '```',
  ].join('\n')
}

/** Limits that buyers run into; the rest is in /llms-full.txt. */
const IN_SKILL: ReadonlySet<string> = new Set([
  'q',
  'raw',
  'payload',
  'request_head',
  'payment_timeout',
  'market_max_age',
])
