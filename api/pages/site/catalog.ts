import { CATALOG_VERSION } from '../../catalog/catalog.ts'
import { isCoveredByPass, isSoldForCredit } from '../../goods/good.ts'
import { parametersOf } from '../../storefront/entry.ts'
import type { Section } from '../content/content.ts'
import {
  byCollection,
  collectionTitle,
  coverWords,
  listPriceWords,
  type Offered,
  priceWords,
} from './prices.ts'
import type { SitePage } from './sitePage.ts'
import { tryBox } from './tryBox.ts'

/** Everything that is sold, and a box to buy it in. */
export const catalog: SitePage = {
  place: 'catalog',
  description: 'Everything that is sold: price, path, parameters, what is delivered; with a box to try it.',
  script: new URL('../client/try/main.ts', import.meta.url),
  content(facts, served) {
    const collections = byCollection(facts)
    return {
      lead: [
        'Each read is one GET. A link to a path below answers 402 with its terms; [the examples](/quickstart) pay it. Everything comes inline in the JSON of the answer.',
      ],
      sections: [
        { id: 'try', title: 'Try one', blocks: [{ widget: tryBox(facts, served) }] },
        ...[...collections].map(([name, offered]) => sectionOf(name, offered)),
      ],
    }
  },
  data: (facts) => ({
    manifestVersion: CATALOG_VERSION,
    collections: [...byCollection(facts)].map(([name, offered]) => ({
      name,
      title: collectionTitle(name),
      goods: offered.map(({ record, good }) => ({
        ...record,
        parameters: good === null ? [] : parametersOf(good),
        coveredByHourPass: good !== null && isCoveredByPass(good),
      })),
    })),
  }),
}

function sectionOf(name: string, offered: readonly Offered[]): Section {
  return {
    id: name,
    title: collectionTitle(name),
    blocks: [
      {
        table: {
          name: 'sold',
          caption: captionOf(offered),
          head: ['Read', 'Price', 'List price', 'Send', 'Delivers', 'Hour pass'],
          rows: offered.map((each) => [
            `**${each.record.name}** ${each.record.path === null ? `\`${each.record.sku}\`` : `[${each.record.path}](${each.record.path}) \`${each.record.sku}\``}`,
            priceWords(each),
            listPriceWords(each),
            sendWords(each),
            each.record.delivers === null
              ? each.record.tagline
              : `${each.record.tagline} \`${each.record.delivers}\``,
            coverWords(each),
          ]),
        },
      },
    ],
  }
}

const CLASSIC = '[classic purchase](/checkout-help)'
const EITHER = new Intl.ListFormat('en', { type: 'disjunction' })

/** The ways to pay that everything in the collection has, and whether single rows differ. */
function captionOf(offered: readonly Offered[]): string {
  const reads = offered.flatMap(({ record, good }) => (record.path === null || good === null ? [] : [good]))
  if (reads.length === 0) return `Bought by ${CLASSIC}`
  const ways = [
    'x402',
    ...(reads.every(isCoveredByPass) ? ['hour pass'] : []),
    ...(reads.every(isSoldForCredit) ? ['store credit'] : []),
    'transfer',
  ]
  const isMixed = !reads.every(isCoveredByPass) && reads.some(isCoveredByPass)
  return [
    `Paid by ${EITHER.format(ways)}`,
    ...(isMixed ? ['by hour pass where the last column says so'] : []),
    ...(reads.length < offered.length ? [`without a path by ${CLASSIC}`] : []),
  ].join('; ')
}

function sendWords({ good, record }: Offered): string {
  if (good === null)
    return record.onSale ? `SKU in the body of \`POST /purchase-intent\`. ${record.deliveryNote}` : 'nothing'
  const inputs = parametersOf(good).filter(({ name }) => name !== 'x-agent-id')
  if (inputs.length === 0) return 'nothing'
  return inputs
    .map((input) => `\`${input.name}\`${input.required ? ' (required)' : ''}: ${input.description}`)
    .join('; ')
}
