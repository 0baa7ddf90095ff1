import { HOUR } from '../../../ops/units.ts'
import type { Facts } from '../../storefront/facts.ts'
import type { Block } from '../content/content.ts'
import { examplesOf, firstRead } from './examples.ts'
import { money } from './prices.ts'
import type { SitePage } from './sitePage.ts'

const example = (facts: Facts, id: string): Block => {
  const found = examplesOf(facts).find((each) => each.id === id)
  if (found === undefined) throw new Error(`assumption broken: there is an example ${id}`)
  return { code: found.code, language: found.language, name: found.name }
}

/** From nothing to a verified purchase: the cheapest read, three times. Every shell and TypeScript example is run by a test. */
export const quickstart: SitePage = {
  place: 'quickstart',
  description: 'Buy the cheapest read with curl, TypeScript or Python, and check its receipt.',
  content(facts) {
    const good = firstRead(facts.goods)
    return {
      lead: [
        `The cheapest read is [${good.path}](${good.path}) for ${money(good.priceMicroUsdc)}, paid in USDC on \`${facts.terms.network}\`. You need a wallet with a little USDC; no ETH, because the payment is a signature that we carry to the chain.`,
      ],
      sections: [
        {
          id: 'ask',
          title: '1. Ask',
          blocks: [
            {
              p: 'A GET without a payment answers 402 with the terms, before any parameter is looked at. Nothing is stored, nothing is owed.',
            },
            example(facts, 'ask'),
          ],
        },
        {
          id: 'pay',
          title: '2. Pay with curl',
          blocks: [
            {
              p: 'Sign one entry of `accepts[]` unchanged (EIP-3009 `transferWithAuthorization`) and repeat the same GET with it. Signing needs a program; this is all of it.',
            },
            example(facts, 'sign'),
            example(facts, 'curl'),
            ...walletBlocks(facts),
          ],
        },
        {
          id: 'typescript',
          title: '3. TypeScript',
          blocks: [
            {
              p: 'The stock x402 client does both calls. It refuses to pay more than 1 USD at a time unless told otherwise; here it is told less.',
            },
            example(facts, 'typescript'),
          ],
        },
        {
          id: 'python',
          title: '4. Python',
          blocks: [
            example(facts, 'python'),
            {
              note: 'Written for version 2 of the package. It is the one example here that our tests do not run.',
            },
          ],
        },
        {
          id: 'next',
          title: 'When something goes wrong',
          blocks: [
            {
              list: [
                'A **503** after you paid: send the same payment again, after `Retry-After`. Do not sign a new one; the same payment is never taken twice.',
                'A **402** with a `code` other than `payment_required`: no money moved. [Every code](/errors) says what to do.',
                `The answer was lost on the way: send the same payment again within ${facts.answerTtlMs / HOUR} hours and get the same bytes.`,
                'Many reads: an [hour pass](/commerce#pass) or [store credit](/commerce#credit) needs no settlement for each.',
              ],
            },
          ],
        },
      ],
    }
  },
  data: (facts) => ({ examples: examplesOf(facts) }),
}

const walletBlocks = ({ testWallet }: Facts): Block[] =>
  testWallet
    ? [
        {
          note: 'In this sandbox, `sandbox.json` in its data folder lists funded test wallets. The [catalog](/catalog#try) buys with a test wallet in the browser.',
        },
      ]
    : []
