import { STATED_PRICE_FLOOR_USDC } from '../../catalog/catalog.ts'
import { OPENING_SALE } from '../../catalog/openingSale.ts'
import { CREDIT_BALANCE_HEADER } from '../../entitlements/credit.ts'
import { PASS_CALLS, PASS_HEADER } from '../../entitlements/pass.ts'
import { hourPass } from '../../goods/grants/hourPass.ts'
import type { Facts } from '../../storefront/facts.ts'
import type { Section } from '../content/content.ts'
import { byCollection, coverWords, listPriceWords, money, priceWords } from './prices.ts'
import type { SitePage } from './sitePage.ts'

/** The price of everything, and every rule about money. */
export const commerce: SitePage = {
  place: 'terms',
  description: 'Prices, what an hour pass covers, store credit, refunds, payment rails and card checkout.',
  content: (facts) => ({
    lead: [
      `Prices are in USD and paid in USDC on \`${facts.terms.network}\`, unless you choose another rail. One payment is one sale: sent again, it gets the same answer and costs nothing.`,
    ],
    sections: [prices(facts), pass, credit, refunds, rails(facts), card(facts), sale(facts)],
  }),
  data: ({ catalog, rails: { rails, unavailable }, openingSale, cardCheckout }) => ({
    catalog,
    statedPriceFloorUsdc: STATED_PRICE_FLOOR_USDC,
    rails: rails.map(({ id, label, chain, asset, agentDefault }) => ({
      id,
      label,
      chain,
      asset,
      agentDefault,
    })),
    unavailableRails: unavailable,
    openingSale,
    cardCheckout,
  }),
}

function prices(facts: Facts): Section {
  const offered = [...byCollection(facts).values()].flat().filter(({ record }) => record.onSale)
  const capped = facts.goods.filter(({ maxSpendMicroUsdc }) => maxSpendMicroUsdc !== undefined)
  return {
    id: 'prices',
    title: 'Prices',
    blocks: [
      {
        p: 'You pay the **charged price**. The list price is shown beside it where it is higher; nobody is ever asked for more than the charged price.',
      },
      {
        table: {
          caption: 'What is sold',
          head: ['Good', 'SKU', 'Charged', 'List price', 'Hour pass covers it'],
          rows: offered.map((each) => [
            each.record.path === null ? each.record.name : `[${each.record.name}](${each.record.path})`,
            `\`${each.record.sku}\``,
            priceWords(each),
            listPriceWords(each),
            coverWords(each),
          ]),
        },
      },
      {
        note: `The catalog states a floor of ${STATED_PRICE_FLOOR_USDC} USD; it raises no price. ${capped
          .map(
            ({ path, maxSpendMicroUsdc }) =>
              `A client that buys \`${path}\` should cap a payment at ${money(maxSpendMicroUsdc!)} by default.`,
          )
          .join(' ')}`,
      },
    ],
  }
}

const pass: Section = {
  id: 'pass',
  title: 'Hour pass',
  blocks: [
    {
      p: `[${hourPass.path}](${hourPass.path}) costs ${money(hourPass.priceMicroUsdc)} and answers up to ${PASS_CALLS} calls within one hour, sent as \`${PASS_HEADER}\`. It covers everything on \`/x402/v1\` except credit packs, feed tokens, permits, the receipt oracle and another pass.`,
    },
    {
      list: [
        'One call is taken for each answer. A refusal or an error costs no call.',
        'An `Idempotency-Key` makes a call repeatable: the same question with the same key within five minutes gets the same answer, and no further call is taken.',
        'The hour begins when the pass is delivered.',
        'A pass never pays for a pass. With money you can buy another at any time.',
        'Answers under a pass carry no receipt of their own: the purchase of the pass has one.',
      ],
    },
  ],
}

const credit: Section = {
  id: 'credit',
  title: 'Store credit',
  blocks: [
    {
      p: 'Buy 2, 5 or 10 USD ahead ([2](/x402/v1/credits-2), [5](/x402/v1/credits-5), [10](/x402/v1/credits-10)) and spend it without a settlement for each call: send `x-agent-id` with your stable id and `X-Service-Credit-Auth` with a secret of your own.',
    },
    {
      list: [
        'The secret is locked to the agent id permanently when it is first used. Send it with the purchase and it is locked then.',
        'If credit is bought without a secret, the answer holds a one-time `claimCode`: the first spend sends it as `X-Service-Claim-Code`.',
        'An `Idempotency-Key` makes a call repeatable: the same request with the same key within a day gets the same answer and costs nothing.',
        'Without a key, the same request continues a call whose answer never went out, at no charge; once that is answered, the same request is another purchase. Both rules hold for classic purchases that credit pays for, in full or in part.',
        'In a classic purchase the secret is `creditSpendAuth`. Where credit covers everything, nothing is left to pay.',
        `Each answer that credit pays for says in \`${CREDIT_BALANCE_HEADER}\` what is left, and so does a refusal for too little.`,
        'Credit does not buy credit.',
      ],
    },
  ],
}

const refunds: Section = {
  id: 'refunds',
  title: 'What is never charged, and refunds',
  blocks: [
    {
      list: [
        'Bad parameters, data too old to sell, too few rows to fill what is sold: refused before any money moves.',
        'A payment that is refused: no money has moved, and the answer says so.',
        'A sale that was paid and cannot be delivered within 60 seconds becomes store credit by itself, with a signed note.',
        'In a [classic purchase](/checkout-help#money) the 60 seconds begin with the first `/fulfill` that could not be answered, and `notes` of `/checkout/settle` has the signed note, with its claim code. A purchase that is paid and that nobody fetches for a day becomes store credit too.',
        'Too much money, or money that came twice or late: store credit for its sender ([classic purchases](/checkout-help#money)).',
        'If a card payment is returned, what it bought is taken back.',
      ],
    },
  ],
}

const rails = ({ rails: { rails: open, unavailable, deposits } }: Facts): Section => ({
  id: 'rails',
  title: 'Payment rails',
  blocks: [
    {
      p: 'A GET is paid by `usdc_base`. A [classic purchase](/checkout-help) may be paid by any of these. Amounts that are not USD are quoted from two price sources that agree, and hold for 15 minutes.',
    },
    {
      table: {
        caption: 'Open rails',
        head: ['Rail', 'What', 'Receiver', 'Finds the transfer by itself'],
        rows: open.map(({ id, label, receiverAddress, discovers, agentDefault }) => [
          `\`${id}\`${agentDefault ? ' (default)' : ''}`,
          label,
          `\`${receiverAddress}\``,
          discovers ? 'yes: the intent id is enough' : 'no: send txHash',
        ]),
      },
    },
    ...(unavailable.length === 0
      ? []
      : [{ note: `Not in service here: ${unavailable.map(({ id }) => `\`${id}\``).join(', ')}.` }]),
    ...deposits.map(({ id, receiverAddress }) => ({
      note: `\`${id}\` is a deposit address only: \`${receiverAddress}\`. What arrives there pays for no purchase by itself.`,
    })),
  ],
})

const card = ({ cardCheckout, catalog }: Facts): Section => ({
  id: 'card',
  title: 'By card',
  blocks: cardCheckout
    ? [
        {
          p: `\`POST /cardpay/checkout\` with \`{"sku": "…", "buyerId": "…"}\` opens a checkout at the agent price and returns its address; \`GET /cardpay/checkout-status?checkout_id=…\` has the result inline once the status is \`paid\`. \`x-agent-id\` is the same as \`buyerId\`: if you send it when you ask, it has to be the one the checkout was opened with. No e-mail. For people: ${catalog
            .filter(({ stripeEnabled }) => stripeEnabled)
            .map(({ sku }) => `\`${sku}\``)
            .join(', ')}.`,
        },
      ]
    : [
        {
          p: 'Card checkout is not set up here; the paths answer 503 [card_checkout_off](/errors#card_checkout_off).',
        },
      ],
})

const sale = ({ openingSale }: Facts): Section => ({
  id: 'opening-sale',
  title: 'Opening sale',
  blocks: [
    {
      p: openingSale
        ? `Active: \`${OPENING_SALE.sku}\` is free for the first ${OPENING_SALE.slotsTotal} buyers. Send a stable \`buyerId\` and the same \`x-agent-id\`; one free report per buyer. [/agent-store.json](/agent-store.json) counts the slots.`
        : `Not active. It would give \`${OPENING_SALE.sku}\` free to ${OPENING_SALE.slotsTotal} buyers, one report each.`,
    },
  ],
})
