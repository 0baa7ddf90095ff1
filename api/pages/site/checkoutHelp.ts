import { MINUTE } from '../../../ops/units.ts'
import { GRACE_MS, INTENT_MS } from '../../classic/open.ts'
import type { SitePage } from './sitePage.ts'

const STATES: readonly (readonly [state: string, meaning: string, next: string])[] = [
  ['New', 'nothing has arrived yet', 'pay one of `paymentOptions`'],
  ['Seen', 'a transfer has arrived, but is not deep enough yet', 'ask again; 202 with the confirmations'],
  [
    'Underpaid',
    'less has arrived than is due',
    'send exactly what `missing` says, once, from the same wallet, then ask again',
  ],
  ['Confirmed', 'the money has arrived', '`POST /fulfill` delivers'],
  ['Delivered', 'answered', 'the same call gives the same bytes for a day'],
  ['Expired', 'nothing arrived in time', 'open a new intent'],
  ['Late', 'money arrived after the end', 'it is store credit; see `notes`'],
  [
    'Refunded',
    'paid, and could not be delivered, or its money left its chain',
    'what is there is store credit; see `notes`',
  ],
]

const minutes = (ms: number): string => `${ms / MINUTE} minutes`

/** The classic purchase, step by step, and what becomes of money that does not fit. */
export const checkoutHelp: SitePage = {
  place: 'checkoutHelp',
  description:
    'Buy by a transfer on any rail: intent, payment, fulfilment; too little, too much and late money.',
  content: ({ publicUrl, mode }) => ({
    lead: [
      'For a wallet that can only send money, for a chain other than Base, and for what has no GET path. An agent that can sign should [pay the GET itself](/quickstart): one call fewer, and nothing to wait for.',
    ],
    sections: [
      {
        id: 'steps',
        title: 'Step by step',
        blocks: [
          {
            steps: [
              '`POST /quote` says what a SKU costs on every rail now. Nothing is reserved.',
              '`POST /purchase-intent` opens the purchase: 402 with `payment`.',
              'Send **exactly** `payment.amountAsset` of `payment.asset` to `payment.receiverAddress`, or pay another entry of `payment.paymentOptions`. The amount is a little below the price: its last digits show whose payment it is.',
              '`POST /fulfill` with `intentId` and the same `buyerId` (or `x-agent-id`). Where `discovers` is false, with `txHash` too; where you paid another entry, with its `paymentRail`.',
            ],
          },
          {
            code: `curl -s ${publicUrl}/purchase-intent \\
  -H 'content-type: application/json' -H 'x-agent-id: my-agent' \\
  -d '{"sku":"SKU_INQUIRY_01","buyerId":"my-agent","paymentRail":"usdc_base","payload":{"q":"fed rate"}}'`,
            language: 'sh',
            name: 'Open a purchase',
          },
          {
            code: `curl -s ${publicUrl}/fulfill \\
  -H 'content-type: application/json' -H 'x-agent-id: my-agent' \\
  -d '{"intentId":"…","buyerId":"my-agent"}'`,
            language: 'sh',
            name: 'Get what was bought: 200 with the result and its receipt, 202 while confirmations are missing',
          },
          {
            p: '`POST /checkout/settle` with the same body looks for the money and tells the state of the purchase, without delivering.',
          },
          ...(mode === 'sandbox'
            ? [
                {
                  note: 'In this sandbox `npm run pay -- <rail> <amount>` pays by any rail.',
                },
              ]
            : []),
        ],
      },
      {
        id: 'states',
        title: 'Where a purchase stands',
        blocks: [
          {
            table: {
              caption: 'State of the intent, in `settlement.state`',
              head: ['State', 'What it means', 'What to do'],
              rows: STATES.map(([state, meaning, next]) => [`\`${state}\``, meaning, next]),
            },
          },
        ],
      },
      {
        id: 'money',
        title: 'Money that does not match',
        blocks: [
          {
            list: [
              `**Time.** An intent waits ${minutes(INTENT_MS)}; money that arrives within ${minutes(GRACE_MS)} more still buys.`,
              '**Too little.** The intent is `Underpaid`; send exactly what is missing from the same wallet and repeat the request, with the new `txHash` where `discovers` is false. What is never completed becomes store credit.',
              '**Too much, twice, or too late.** It becomes store credit. `notes` has the amount and, where no credit secret came with the purchase, a one-time `claimCode`.',
              '**Any amount other than the exact one.** Send no more. It counts if you send `txHash` and `payerSignature`: the wallet that sent it signs `intent <intentId> paid by <txHash>`, by EIP-191 on EVM rails, by ed25519 (in base58) on Solana.',
              '**From a wallet that cannot sign like this, and on Bitcoin.** A person helps: give the transaction hash to the contact in `/.well-known/security.txt`, where one is published.',
              '**From your own wallet.** If `buyerId` is an EVM address, the transfer must come from it.',
              'No transfer buys two things, whichever way it is shown to us.',
            ],
          },
        ],
      },
      {
        id: 'credit',
        title: 'With store credit',
        blocks: [
          {
            p: 'Send `creditSpendAuth`, your credit secret, with the intent: your credit is held, and only the rest is left to pay. If it covers everything, the answer is 200 at once. More: [store credit](/commerce#credit).',
          },
        ],
      },
      {
        id: 'card',
        title: 'By card',
        blocks: [
          {
            p: 'People may pay some SKUs by card: `POST /cardpay/checkout`, then [the status](/commerce#card) has the result inline.',
          },
        ],
      },
    ],
  }),
  data: () => ({ states: STATES.map(([state, meaning]) => ({ state, meaning })) }),
}
