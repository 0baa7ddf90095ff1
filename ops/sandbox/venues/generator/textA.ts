import { closesOf } from './closes.ts'
import { digits, mix } from './dice.ts'
import { conditionId, eventSlug, questionId, slugStem, tokenId } from './ids.ts'
import type { Bone, Instance } from './instance.ts'
import { topicOf } from './plan.ts'
import { CATEGORIES, type EventA, type MarketA, type Topic, YES_NO } from './topic.ts'

/**
 * The words of one event of venue A and everything else that stays the same as long as it is listed, as pieces of
 * JSON, ready as bytes. Made once; the figures of a step are put between them.
 */
export type TextA = {
  slug: string
  head: Buffer //    of the event, open at the end
  tail: Buffer //    of the event, closes it
  rules: Buffer //   description of its markets, a JSON string
  shared: Buffer //  fields all its markets have in common
  negRisk: boolean
  markets: readonly { slugStem: string; head: Buffer; rules: Buffer | null }[]
}

const quote = JSON.stringify
export const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
/** Microsecond stamps of venue A's bookkeeping fields. */
export const stampA = (ms: number): string => new Date(ms).toISOString().replace('Z', '417Z')
/** "2026-07-16 23:00:00+00": blank and two-digit zone, as venue A writes the start of a game. */
export const gameTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}+00`

export function textA(instance: Instance): TextA {
  const topic = topicOf(instance.slot, instance.generation)
  const { event, markets } = topic.a
  const slug = eventSlug(event.title, instance.idA)
  const negRisk = event.exclusive === true
  const rules = quote(event.rules)
  return {
    slug,
    head: Buffer.from(eventHead(instance, event, slug, rules) + eventFlags(topic, instance.key)),
    tail: Buffer.from(`,"tags":[${tagsOf(topic).map(tagText).join(',')}]}`),
    shared: Buffer.from(sharedText(instance, topic)),
    rules: Buffer.from(rules),
    negRisk,
    markets: instance.a.map((bone, index) => ({
      slugStem: slugStem(markets[index]!.question, bone.id),
      head: Buffer.from(marketHead(instance, bone, markets[index]!, index)),
      rules: markets[index]!.rules === undefined ? null : Buffer.from(quote(markets[index]!.rules)),
    })),
  }
}

const imageOf = (topic: Topic, key: number) =>
  `"https://images.sandbox.invalid/${topic.category}-${mix(key, 1) % 1000}.png"`
const gameId = (key: number) => 1_000_000 + (mix(key, 3) % 900_000)
const riskText = (event: EventA, key: number) =>
  event.exclusive
    ? `,"negRisk":true,"negRiskMarketID":"0x${digits(mix(key, 0x92), 64, 16)}"`
    : ',"negRisk":false'

function eventHead({ idA, openMs, decideMs, ...rest }: Instance, event: EventA, slug: string, rules: string) {
  const start = stampA(openMs)
  const end = closesOf(rest.slot, decideMs).a
  return (
    `{"id":"${idA}","ticker":"${slug}","slug":"${slug}","title":${quote(event.title)},"description":${rules}` +
    `,"resolutionSource":"","startDate":"${start}","creationDate":"${start}","createdAt":"${start}","deployingTimestamp":"${start}"` +
    (end === null ? '' : `,"endDate":"${iso(end)}"`)
  )
}

function eventFlags(topic: Topic, key: number): string {
  const { event, markets } = topic.a
  const image = imageOf(topic, key)
  const augmented = event.exclusive === true && markets.some((market) => market.kind !== undefined)
  const game =
    event.gameMs === undefined
      ? ''
      : `,"gameId":${gameId(key)},"live":false,"ended":false,"eventDate":"${iso(event.gameMs).slice(0, 10)}","startTime":"${iso(event.gameMs)}"`
  return (
    `,"image":${image},"icon":${image},"archived":false,"new":false,"featured":false,"restricted":true,"enableOrderBook":true` +
    ',"cyom":false,"showAllOutcomes":true,"showMarketImages":false,"automaticallyActive":true,"gmpChartMode":"default"' +
    ',"estimateValue":false,"cumulativeMarkets":false,"pendingDeployment":false,"deploying":false,"requiresTranslation":false' +
    `${riskText(event, key)},"enableNegRisk":${event.exclusive === true},"negRiskAugmented":${augmented}${game}`
  )
}

const tagsOf = (topic: Topic) => {
  const { tagA } = CATEGORIES[topic.category]
  return [tagA, ...topic.tags.filter((tag) => tag !== tagA)]
}
const tagText = (label: string) =>
  `{"id":"${tagId(label)}","label":${quote(label)},"slug":"${tagSlug(label)}"}`
const tagSlug = (label: string): string => label.toLowerCase().replace(/[^a-z0-9]+/g, '-')
const tagId = (label: string): string =>
  String(
    100_000 + (mix(label.length, label.charCodeAt(0) * 131 + label.charCodeAt(label.length - 1)) % 90_000),
  )

/** Fees, times and pictures: most of a market's text is the same for its siblings. */
function sharedText({ key, openMs }: Instance, topic: Topic): string {
  const { event } = topic.a
  const { feeType, feeRate, rebate } = CATEGORIES[topic.category]
  const image = imageOf(topic, key)
  const start = stampA(openMs)
  const fees =
    feeType === null
      ? ',"feesEnabled":false,"feeType":null'
      : `,"feesEnabled":true,"feeType":"${feeType}","feeSchedule":{"exponent":1,"rate":${feeRate},"takerOnly":true,"rebateRate":${rebate}}`
  const game =
    event.gameMs === undefined
      ? ''
      : `,"gameStartTime":"${gameTime(event.gameMs)}","eventStartTime":"${iso(event.gameMs)}","secondsDelay":3,"gameId":"${gameId(key)}"`
  return (
    `,"resolutionSource":"","startDate":"${start}","createdAt":"${start}","startDateIso":"${start.slice(0, 10)}","image":${image},"icon":${image}` +
    `${riskText(event, key)}${fees}${game},"acceptingOrdersTimestamp":"${iso(openMs)}","deployingTimestamp":"${start}"`
  )
}

function marketHead(instance: Instance, bone: Bone, market: MarketA, index: number): string {
  const { id, key } = bone
  const end = closesOf(instance.slot, bone.decideMs).a
  const line = market.sport?.line ?? null
  return (
    `{"id":"${id}","question":${quote(market.question)},"conditionId":"${conditionId(key, id)}","questionID":"${questionId(key, id)}"` +
    (end === null ? '' : `,"endDate":"${iso(end)}","endDateIso":"${iso(end).slice(0, 10)}"`) +
    `,"outcomes":${quote(`[${(market.sides ?? YES_NO).map((side) => quote(side)).join(', ')}]`)}` +
    `,"clobTokenIds":"[\\"${tokenId(key, id, 0)}\\", \\"${tokenId(key, id, 1)}\\"]"` +
    (market.group === '' ? '' : `,"groupItemTitle":${quote(market.group)},"groupItemThreshold":"${index}"`) +
    `,"negRiskOther":${market.kind === 'other'}` +
    (market.sport === undefined ? '' : `,"sportsMarketType":"${market.sport.type}"`) +
    (line === null ? '' : `,"line":${line}`)
  )
}
