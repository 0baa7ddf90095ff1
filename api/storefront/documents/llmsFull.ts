import { formatUsdc } from '../../../ops/units.ts'
import { FEED_HEADER, FEED_STREAM_PATH } from '../../entitlements/feedToken.ts'
import { PROBLEMS } from '../../errors.ts'
import { tip } from '../../goods/services/tip.ts'
import { type Document, TEXT_TYPE } from '../document.ts'
import { serviceEntry } from '../entry.ts'
import type { Facts } from '../facts.ts'
import { describeRate, limitsOf } from '../limits.ts'
import { markdownLink, PLACES, type PlaceName } from '../places.ts'
import {
  buySteps,
  goodsTable,
  limitsList,
  moneyRules,
  otherWaysToPay,
  parameterList,
  receiptRules,
  underHeadings,
} from '../prose.ts'
import { describeService, SERVICE_NAME } from '../service.ts'

/** `/llms-full.txt`: everything an agent may need to know, in one text. */
export const llmsFull: Document = {
  path: PLACES.llmsFull.path,
  type: TEXT_TYPE,
  text: (facts) => {
    const passages: [string, string][] = [
      ['Buy one read', buySteps(facts, '/x402/v1/spread', '?q=fed%20rate')],
      ['Statuses and your money', moneyRules()],
      ['Other ways to pay', otherWaysToPay(facts)],
      ['Receipts', receiptRules(facts)],
      ['Prices', goodsTable(facts)],
      ...facts.goods.map((good): [string, string] => [`GET ${good.path}`, describeGood(facts, good)]),
      ['Sold without a GET path', withoutPath(facts)],
      ['Payment rails', railList(facts)],
      ['Alpha feed', feed(facts)],
      ['Limits', limitsList(limitsOf(facts))],
      ['Rate limits, by address', facts.rates.map((rate) => `- ${describeRate(rate)}`).join('\n')],
      ['Problem codes', problemTable()],
      ['Links', linkList(facts.publicUrl)],
    ]
    return `# ${SERVICE_NAME}\n\n> ${describeService(facts)}\n\n${underHeadings(passages)}`
  },
}

function describeGood(facts: Facts, good: Facts['goods'][number]): string {
  const { sku, title, description, priceUsdc, basePriceUsdc, delivers, example } = serviceEntry(good, facts)
  const listed = basePriceUsdc === priceUsdc ? '' : ` (list price ${basePriceUsdc})`
  const parameters = parameterList(good)
  return [
    `${title}, ${sku}, ${priceUsdc} USD${listed}. ${description}`,
    ...(delivers === null ? [] : ['', `result: ${delivers}`]),
    ...(parameters === '' ? [] : ['', parameters]),
    '',
    'Answer, shortened:',
    '',
    '```json',
    JSON.stringify(example),
    '```',
  ].join('\n')
}

const withoutPath = ({ catalog }: Facts): string =>
  catalog
    .filter(({ path, onSale }) => path === null && onSale)
    .map(
      ({ sku, name, agentPriceUsdc, basePriceUsdc, tagline, deliveryNote, stripeEnabled }) =>
        `- ${sku}, ${name}: ${sku === tip.sku ? 'you name the price' : `${agentPriceUsdc} USD for agents (list price ${basePriceUsdc})`}${stripeEnabled ? ', also by card' : ''}. ${tagline}. ${deliveryNote}`,
    )
    .join('\n')

const railList = ({ rails, publicUrl }: Facts): string =>
  [
    ...rails.rails.map(
      ({ id, label, agentDefault, discovers }) =>
        `- ${id}: ${label}${agentDefault ? ', the default' : ''}${discovers ? ', found without a transaction hash' : ', needs txHash'}`,
    ),
    ...rails.unavailable.map(({ id, label }) => `- ${id}: ${label}, not available now`),
    `Receivers: ${publicUrl}${PLACES.rails.path}`,
  ].join('\n')

const feed = ({ publicUrl, goods }: Facts): string => {
  const sold = goods.filter(({ grant }) => grant?.kind === 'feed')
  return [
    `A token comes with ${sold.map(({ path, priceMicroUsdc }) => `${path} (${formatUsdc(priceMicroUsdc)})`).join(', ')}; it is result.feedAccess.feedToken and goes into header ${FEED_HEADER}.`,
    `- Poll: GET ${publicUrl}${PLACES.feed.path}?since=ID&limit=100, with ETag.`,
    `- Server-sent events: the same path with Accept: text/event-stream; resume with Last-Event-ID.`,
    `- WebSocket: ${FEED_STREAM_PATH}, then {"op":"subscribe","topics":["gaps"],"token":"…"}.`,
    'Each message is one JSON object with a kind: snapshot, opened, changed, closed, gap (events were missed), status, slow, expired, revoked.',
  ].join('\n')
}

const problemTable = (): string =>
  [
    '| Code | Status | Retry | Title | Next |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries(PROBLEMS).map(
      ([code, { status, retryable, title, next }]) =>
        `| ${code} | ${status} | ${retryable ? 'yes' : 'no'} | ${title} | ${next} |`,
    ),
  ].join('\n')

const linkList = (publicUrl: string): string =>
  (Object.keys(PLACES) as PlaceName[]).map((name) => markdownLink(publicUrl, name)).join('\n')
