import { FEED_RULES } from '../../../engine/contract/feed.ts'
import { HOUR, SECOND } from '../../../ops/units.ts'
import {
  CLAIM_CODE_HEADER,
  CREDIT_AUTH_HEADER,
  CREDIT_BALANCE_HEADER,
  CREDIT_HELD_HEADER,
} from '../../entitlements/credit.ts'
import { FEED_HEADER, FEED_PATH, FEED_STREAM_PATH, MARKETPLACE_HEADER } from '../../entitlements/feedToken.ts'
import { PASS_CALLS, PASS_HEADER } from '../../entitlements/pass.ts'
import { PERMIT_HEADER } from '../../entitlements/permit.ts'
import type { Facts } from '../../storefront/facts.ts'
import { amountWords, describeRate, limitsOf } from '../../storefront/limits.ts'
import { PAYING_WALLETS } from '../../storefront/prose.ts'
import type { Section, Table } from '../content/content.ts'
import { firstRead } from './examples.ts'
import { money } from './prices.ts'
import type { SitePage } from './sitePage.ts'

const WAYS: Table = {
  caption: 'A paid GET takes exactly one of these; two at once are refused with 400 and nothing is taken',
  head: ['Way', 'Send', 'Good for', 'Receipt'],
  rows: [
    [
      'x402 payment',
      '`PAYMENT-SIGNATURE`: base64 of a PaymentPayload, version 2, scheme exact',
      `a wallet that signs: ${PAYING_WALLETS}; no gas, nothing to open`,
      'in the answer',
    ],
    [
      'Hour pass',
      `\`${PASS_HEADER}\`: the token of [hour-pass](/x402/v1/hour-pass)`,
      `up to ${PASS_CALLS} reads within an hour, without a settlement each`,
      'of the pass',
    ],
    [
      'Store credit',
      `\`x-agent-id\` and \`${CREDIT_AUTH_HEADER}\``,
      'many reads over days; also pays classic purchases',
      'in the answer',
    ],
    [
      'Transfer (legacy)',
      '`X-PAYMENT`: `{"intentId", "txHash", "paymentRail": "usdc_base"}`',
      'a wallet without EIP-3009: pay `payment` of the 402, then repeat the GET; it is answered at once with that wallet’s signature, otherwise when nobody else has claimed the transfer for a while',
      'in the answer',
    ],
  ],
}

const HEADERS: Table = {
  caption: 'Headers, all optional except the one that pays',
  head: ['Header', 'Sent by', 'What it is'],
  rows: [
    ['`PAYMENT-REQUIRED`', 'us, with 402', 'base64 JSON: resource, `accepts[]`, extensions'],
    ['`PAYMENT-SIGNATURE`', 'you', 'base64 JSON: the accepted entry unchanged, and your signature'],
    ['`PAYMENT-RESPONSE`', 'us, with 200', 'base64 JSON: transaction, network, payer'],
    ['`X-PAYMENT`', 'you', 'legacy transfer; a base64 x402 version 1 payment is understood too'],
    [`\`${PASS_HEADER}\``, 'you', 'hour pass token'],
    ['`x-agent-id`', 'you', 'your stable id; with credit it names the account'],
    [`\`${CREDIT_AUTH_HEADER}\``, 'you', 'your credit secret, 16 to 256 visible ASCII characters'],
    [`\`${CLAIM_CODE_HEADER}\``, 'you', 'opens credit that was bought without a secret, once'],
    [
      '`Idempotency-Key`',
      'you',
      'names a call paid by credit or by a pass, or a redemption: send it again and it counts once',
    ],
    [
      `\`${CREDIT_BALANCE_HEADER}\``,
      'us, where credit pays',
      `USD of the account that can be spent now; \`${CREDIT_HELD_HEADER}\` is what open purchases hold beside it`,
    ],
    ['`X-Service-Payload`', 'you', 'base64 JSON instead of a query parameter (scan)'],
    [
      '`X-Service-Payer-Signature`',
      'you',
      'proves that you are the payer: of a transfer, by signing `intent <intentId> paid by <txHash>`, and where a refusal asks for it',
    ],
    [`\`${FEED_HEADER}\``, 'you', 'feed token of 24 hours or 7 days'],
    [`\`${MARKETPLACE_HEADER}\``, 'you', 'feed token of 30 days'],
    [`\`${PERMIT_HEADER}\``, 'you', 'permit for one call of the local tool'],
    ['`Retry-After`', 'us, with 429 and 503', 'seconds until it is worth trying again'],
  ],
}

const retries = ({ answerTtlMs }: Facts): Table => ({
  caption: 'What an answer means for your money',
  head: ['Status', 'Money', 'Do'],
  rows: [
    [
      '200',
      'taken once',
      `keep the receipt; the same payment gives the same bytes for ${answerTtlMs / HOUR} hours`,
    ],
    [
      '402',
      'not moved; a payment whose window is over is looked up on chain first',
      'read `code`: sign what `accepts[]` says now',
    ],
    ['400, 404, 405, 422', 'not moved', 'correct the request; what you signed is still unused'],
    [
      '403',
      'given back as store credit, or moved in a way that others can present too',
      'prove that you are its payer, as [refund_unproven](/errors#refund_unproven) and [payer_unproven](/errors#payer_unproven) say, with **the same** payment',
    ],
    ['409', 'as `code` says', 'the payment belongs to another request: send it with that one'],
    [
      '410',
      'taken once, long ago; or never, where its authorization was cancelled',
      'no answer is kept any more: use the one you stored; this payment buys nothing more, pay again only for a new one',
    ],
    ['429', 'not moved by this request', 'wait for `Retry-After`, then send the same again'],
    [
      '503',
      'not moved, being settled, or moved by a transfer whose sender is not proven yet',
      'wait for `Retry-After`, send **the same** payment; never a new one',
    ],
    ['500', 'unknown', 'send **the same** payment; never a new one'],
    ['no answer at all', 'unknown', 'send **the same** payment; it is never taken twice'],
  ],
})

const feed: Section = {
  id: 'feed',
  title: 'Alpha feed',
  blocks: [
    {
      p: `Gap cards as they open, change and close. A token is sold for 24 hours ([bot-fuel-day](/x402/v1/bot-fuel-day), [alpha-day](/x402/v1/alpha-day)), 7 days ([alpha-7d](/x402/v1/alpha-7d)) or 30 days (\`SKU_SIGNAL_FEED_29\`).`,
    },
    {
      list: [
        `\`GET ${FEED_PATH}\` answers JSON with an ETag; \`since\`, \`limit\` and \`topic\` narrow it.`,
        'The same with `Accept: text/event-stream` streams it; `Last-Event-ID` resumes, and a `gap` event says when it cannot.',
        `\`${FEED_STREAM_PATH}\` is the same over WebSocket, by topic.`,
        FEED_RULES.open,
        FEED_RULES.changed,
        'A reader that falls behind is told, then dropped; resume from your last id.',
        'Free alternatives: [gaps in bands every 30 minutes](/venue-wire/gaps), [a delayed preview](/alpha/preview).',
      ],
    },
  ],
}

/** For agents: how to pay, what to send, what costs nothing, when to try again. */
export const agents: SitePage = {
  place: 'agents',
  description: 'How to find, pay for and check a read: ways to pay, headers, retries, limits.',
  content(facts) {
    const cheapest = firstRead(facts.goods)
    return {
      lead: [
        `Every read is one GET. Unpaid it answers 402 with its terms; paid it answers JSON with a signed receipt. The cheapest, [${cheapest.path}](${cheapest.path}), costs ${money(cheapest.priceMicroUsdc)} in USDC on \`${facts.terms.network}\`. No account, no API key, no human step.`,
      ],
      sections: [
        {
          id: 'steps',
          title: 'In one minute',
          blocks: [
            {
              steps: [
                'Choose a read from the [catalog](/catalog) (JSON with `Accept: application/json`).',
                'GET it. The 402 carries the terms in `PAYMENT-REQUIRED`; its body is for clients of x402 version 1 and for transfers.',
                'Sign an entry of `accepts[]` unchanged and repeat the same GET with `PAYMENT-SIGNATURE`. [Examples that run](/quickstart).',
                'Read `result`. Check `result.paymentAttestation` with the [published keys](/receipt-oracle).',
              ],
            },
          ],
        },
        { id: 'pay', title: 'Four ways to pay', blocks: [{ table: WAYS }] },
        { id: 'headers', title: 'Headers', blocks: [{ table: HEADERS }] },
        {
          id: 'retry',
          title: 'When to try again',
          blocks: [
            { table: retries(facts) },
            {
              p: 'Name a purchase with the `payment-identifier` extension if your client may sign again after a crash: the same id for the same purchase, also when you retry. A second payment with it is answered `already_paid` and not used. Codes: [errors](/errors).',
            },
          ],
        },
        {
          id: 'free',
          title: 'What is never charged',
          blocks: [
            {
              list: [
                'A 402, a refused payment, a bad parameter, a host name we do not look up.',
                `Market data older than ${facts.marketMaxAgeMs / SECOND} seconds: refused with 503 [stale_data](/errors#stale_data) before any money moves.`,
                'The same payment sent again: same bytes, one charge.',
              ],
            },
            {
              p: 'An answer that says no is an answer, and is charged: text that cannot be repaired (`ok: false`), a topic that nobody lists (`found: false`).',
            },
          ],
        },
        feed,
        {
          id: 'fresh',
          title: 'How old the data is',
          blocks: [
            {
              p: 'Every market answer carries `asOf` and `ageMs` for each venue, the version and hash of its snapshot, and the age limit that was applied. Pairs are judged by what both questions say; the judgement, its reasons and its measured precision are in the answer.',
            },
          ],
        },
        {
          id: 'limits',
          title: 'Limits',
          blocks: [
            {
              p: 'A GET that pays is never limited; one whose payment is refused counts. Everything else is limited, by address and process: beyond the limit you get 429 with `Retry-After`; `RateLimit` says what is left. Paths are exact: another case, a trailing slash or an encoded letter is another path.',
            },
            { list: facts.rates.map(describeRate) },
            {
              table: {
                caption: 'Sizes, times and steps',
                head: ['What', 'Limit'],
                rows: limitsOf(facts).map((limit) => [limit.what, amountWords(limit)]),
              },
            },
          ],
        },
        {
          id: 'mcp',
          title: 'By MCP',
          blocks: [
            {
              p: 'The server at `/mcp` (streamable HTTP) has every read as a tool: unpaid it answers with the terms, the payment goes into `_meta`. Its card: [/mcp/server-card](/mcp/server-card). All documents for programs are listed in [llms.txt](/llms.txt).',
            },
          ],
        },
      ],
    }
  },
  data: () => ({
    waysToPay: ['PAYMENT-SIGNATURE', PASS_HEADER, CREDIT_AUTH_HEADER, 'X-PAYMENT'],
    headers: HEADERS.rows.map(([name = '', sentBy, what]) => ({
      name: name.replaceAll('`', ''),
      sentBy,
      what,
    })),
  }),
}
