import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { isProblem } from '../../../api/errors.ts'
import type { Draft, Good, GoodPorts, Output, Sellable } from '../../../api/goods/good.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { SERVICES } from '../../../api/goods/services/index.ts'
import { shapeAnswer } from '../../../api/goods/utility/dns/answer.ts'
import { PURE_GOODS } from '../../../api/goods/utility/pure.ts'
import { inlineSchema } from '../../../api/openapi/schemas.ts'
import { exampleOf } from '../../../api/payment/extensions/examples.ts'
import { signStatement } from '../../../api/receipts/statement.ts'
import {
  someBookRow,
  someCard,
  someEdge,
  someGap,
  someLeg,
  someMover,
  someNet,
  someTopic,
} from '../../support/boards.ts'
import { newKey } from '../receipts/keys.ts'
import { cardsBody, gapsBody, moversBody, NOW, portsOver, topicsBody } from './support.ts'

const FIVE = [1, 2, 3, 4, 5]
const full = portsOver({
  gaps: gapsBody([someGap()]),
  nets: { rows: [someNet()] },
  edges: { rows: FIVE.map((n) => someEdge({ pairId: `p${n}` })) },
  gapCards: cardsBody(FIVE.map((n) => someCard({ pairId: `p${n}` }))),
  movers: moversBody({ hour: [someMover()], day: [someMover()] }),
  book: { a: [someBookRow()], b: [] },
  topics: topicsBody([someTopic()]),
})
/** Everything that may be absent is absent. */
const bare = { slug: null, bidBps: null, bidSize: null, midBps: null }
const pair = {
  category: null,
  cheaperVenue: null,
  closesApartMs: null,
  gapCents: null,
  executable: false,
  a: someLeg(bare),
  b: someLeg({ ...bare, marketId: 'KX-1' }),
}
const unsized = { bySize: null, depthSeenMs: null, lockUpDays: null, annualisedPct: null, riskFlags: [] }
const sparse = portsOver({
  gaps: gapsBody([someGap({ ...pair, gapCents: 0 })]),
  nets: { rows: [someNet(pair)] },
  edges: { rows: FIVE.map(() => someEdge({ ...pair, ...unsized, suggestedAction: 'watch' })) },
  gapCards: cardsBody(FIVE.map(() => someCard({ ...pair, ...unsized, gapCents: 0, life: null }))),
  movers: moversBody({ day: [someMover({ yesBps: null, lastBps: null })] }),
  book: { a: [someBookRow({ bidBps: null, askBps: null, bidSize: null, askSize: null })], b: [] },
  topics: topicsBody([someTopic()]),
})

type Sold = Sellable<unknown> & { output: Output; path?: string; parameters?: Good<unknown>['parameters'] }
const ALL: readonly Sold[] = [...GOODS, ...SERVICES]
const goodOf = (sku: string): Sold => ALL.find((good) => good.sku === sku)!

/** `result` of a sale, as it is delivered. */
async function resultOf(
  sku: string,
  input: object,
  ports: GoodPorts = full,
): Promise<Record<string, unknown>> {
  const good = PURE_GOODS.find((pure) => pure.sku === sku) ?? goodOf(sku)
  if (good.grant !== undefined)
    return good.grant.issue({ token: 't', nowMs: NOW, publicUrl: 'https://x.example' }).result
  const draft = (await good.answer(good.input.parse(input), ports)) as Draft
  if (isProblem(draft)) throw new Error(draft.problem)
  const { result } = draft
  if (good.subject !== undefined) return { attestation: statementOf(good.subject(result)) }
  return good.finish?.(result, { transaction: '0x1' }) ?? result
}

const statementOf = (subject: Parameters<typeof signStatement>[1]) =>
  signStatement(newKey(), subject, {
    attestationId: 'a',
    merchant: 'https://x.example',
    mode: 'sandbox',
    payer: '0x1',
    transaction: '0x2',
    issuedAt: new Date(NOW).toISOString(),
  })

const dnsOf = (exists: boolean) => {
  const none = { status: exists ? 'nodata' : 'nxdomain' } as const
  return shapeAnswer(
    'example.com',
    {
      AAAA: none,
      MX: none,
      NS: none,
      CNAME: none,
      A: exists ? { status: 'ok', raw: [{ address: '10.0.0.1', ttl: 60 }] } : none,
      TXT: exists ? { status: 'ok', raw: [['v=spf1 -all']] } : { status: 'timeout' },
    },
    NOW,
  )
}
const credit = { creditUsdc: 2, balanceUsdc: 2, spendHint: 'Spend it.' }
const inquiring = { q: 'fed' }
const nobody = { q: 'no such words anywhere' }
const at =
  (ports: GoodPorts) =>
  (sku: string, input: object = {}) =>
    resultOf(sku, input, ports)

/** Real answers: name, SKU, how each is made. */
const ANSWERS: readonly (readonly [name: string, sku: string, make: () => Promise<object>])[] = [
  ...(
    [
      ['a pair with everything', at(full)],
      ['all that may be absent is', at(sparse)],
    ] as const
  ).flatMap(([name, answer]) =>
    [
      'SKU_AG_SPREAD_01',
      'SKU_AG_NET_01',
      'SKU_AG_MOVE_01',
      'SKU_AG_BOOK_01',
      'SKU_AG_EDGE_01',
      'SKU_AG_EDGE_PACK_01',
      'SKU_AG_BOT_FUEL_01',
      'SKU_AG_BOT_FUEL_PACK_05',
      'SKU_INQUIRY_01',
    ].map((sku) => [name, sku, () => answer(sku)] as const),
  ),
  ['a pair', 'SKU_AG_MATCH_01', () => resultOf('SKU_AG_MATCH_01', inquiring)],
  [
    'no pair, one venue',
    'SKU_AG_MATCH_01',
    () =>
      resultOf(
        'SKU_AG_MATCH_01',
        inquiring,
        portsOver({ gaps: gapsBody([]), topics: topicsBody([someTopic()]) }),
      ),
  ],
  ...['SKU_AG_SPREAD_01', 'SKU_AG_MATCH_01', 'SKU_AG_NET_01', 'SKU_AG_MOVE_01', 'SKU_AG_BOOK_01'].map(
    (sku) => ['nothing found', sku, () => resultOf(sku, nobody)] as const,
  ),
  ['an hour, without venue B', 'SKU_AG_MOVE_01', () => resultOf('SKU_AG_MOVE_01', { window: 'hour' })],
  ['an echo', 'SKU_AG_PING_01', () => resultOf('SKU_AG_PING_01', { echo: 'hello' })],
  ['no echo', 'SKU_AG_PING_01', () => resultOf('SKU_AG_PING_01', {})],
  ['a hash', 'SKU_RECEIPT_ORACLE_01', () => resultOf('SKU_RECEIPT_ORACLE_01', { hash: 'ab'.repeat(32) })],
  [
    'a statement',
    'SKU_RECEIPT_ORACLE_01',
    () => resultOf('SKU_RECEIPT_ORACLE_01', { statement: '{"order":[1,"a"]}' }),
  ],
  ...PURE_GOODS.map(
    ({ sku, parameters }) =>
      [
        'its example',
        sku,
        () => resultOf(sku, Object.fromEntries(parameters.map(({ name, example }) => [name, example]))),
      ] as const,
  ),
  ['no finding', 'SKU_AG_SNIFF_01', () => resultOf('SKU_AG_SNIFF_01', { q: 'good morning' })],
  ['no JSON', 'SKU_AG_JSON_01', () => resultOf('SKU_AG_JSON_01', { q: 'hello world' })],
  ['no document', 'SKU_AG_SPEC_LINT_01', () => resultOf('SKU_AG_SPEC_LINT_01', { q: 'openapi: 3.1.0' })],
  ['no failure', 'SKU_AG_SCAN_01', () => resultOf('SKU_AG_SCAN_01', { raw: 'all is well' })],
  ['a name that exists', 'SKU_AG_DNS_01', async () => ({ dns: dnsOf(true) })],
  ['a name that does not', 'SKU_AG_DNS_01', async () => ({ dns: dnsOf(false) })],
  ...ALL.filter(({ grant }) => grant !== undefined).map(
    ({ sku }) => ['its token', sku, () => resultOf(sku, {})] as const,
  ),
  ...['02', '05', '10'].flatMap((size) => [
    [
      'with a claim code',
      `SKU_AG_CREDITS_${size}`,
      async () => ({ storeCredit: { ...credit, claimCode: 'c' } }),
    ] as const,
    [
      'on an account',
      `SKU_AG_CREDITS_${size}`,
      async () => ({ storeCredit: { ...credit, account: 'a' } }),
    ] as const,
  ]),
  [
    'two samples',
    'SKU_DLQ_01',
    () => resultOf('SKU_DLQ_01', { samples: ['connect ECONNREFUSED', 'HTTP 429'] }),
  ],
  ['thanks', 'SKU_TIP_00', () => resultOf('SKU_TIP_00', {})],
]

/** Names that an answer may lack. */
const OPTIONAL = new Set([
  'matchPrecision', //  of match: where no pair was found
  'statement', //       of the oracle: where only a hash was handed in
  'value', //           of json: where a number is beyond binary64
  'account',
  'claimCode',
])

/** Members of free form: the names inside are not ours. */
const FREE_FORM = new Set(['value', 'statement', 'firstLine'])

/** Each name in a value, by its path, outside of free-form parts. */
function namesIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const here = [...path, name]
    if (FREE_FORM.has(name)) return [here]
    return [...(Array.isArray(value) ? [] : [here]), ...namesIn(part, here)]
  })
}

function without(value: unknown, [name, ...rest]: string[]): unknown {
  const copy = structuredClone(value) as Record<string, unknown>
  if (rest.length === 0) delete copy[name!]
  else copy[name!] = without(copy[name!], rest)
  return copy
}

describe('2.2 the result of each item is what its output schema says', () => {
  test('every SKU has an answer here', () => {
    expect(new Set(ANSWERS.map(([, sku]) => sku))).toEqual(new Set(ALL.map(({ sku }) => sku)))
  })

  test.each(ANSWERS)('%s: %s, nothing less and nothing that is not described', async (_, sku, make) => {
    const result = JSON.parse(JSON.stringify(await make()))
    expect(goodOf(sku).output.parse(result)).toEqual(result)
  })

  test.each(ANSWERS)('%s: %s without any one of its names is refused', async (_, sku, make) => {
    const result = JSON.parse(JSON.stringify(await make()))
    const names = namesIn(result).filter((path) => !OPTIONAL.has(path.at(-1)!))
    const missed = names.filter((path) => goodOf(sku).output.safeParse(without(result, path)).success)
    expect(missed).toEqual([])
  })
})

describe('the short examples that catalogues get are parts of such a result', () => {
  /** The schema without its demands on what must be present. */
  const ofParts = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(ofParts)
    if (typeof schema !== 'object' || schema === null) return schema
    const { required: _, minItems: __, ...rest } = schema as Record<string, unknown>
    return Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, ofParts(part)]))
  }
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)

  test.each(GOODS.map(({ sku, output }) => [sku, output] as const))('%s', (sku, output) => {
    const validate = ajv.compile(ofParts(inlineSchema(output)) as object)
    expect([validate(exampleOf(sku)), ajv.errorsText(validate.errors)]).toEqual([true, 'No errors'])
  })
})

describe('what a good refuses for is in its record', () => {
  const stale = portsOver(
    { gaps: gapsBody([someGap()]), gapCards: cardsBody([someCard()]) },
    { asOfMs: { a: 0, b: 0 } },
  )
  const few = portsOver({
    gaps: gapsBody([]),
    nets: { rows: [] },
    edges: { rows: [] },
    gapCards: cardsBody([]),
    movers: moversBody({}),
    book: { a: [], b: [] },
    topics: topicsBody([]),
  })
  const worlds = [
    ['no board', portsOver({})],
    ['old boards', stale],
    ['empty boards', few],
  ] as const

  test.each(ALL.map((good) => [good.sku, good] as const))('%s', async (_, good) => {
    const refused = new Set<string>()
    const [first] = good.parameters ?? []
    const input = first === undefined ? { samples: ['a'] } : { [first.name]: first.example }
    for (const [, ports] of worlds) {
      const answer = await good.answer(good.input.parse(input), {
        ...ports,
        lookUp: async () => ({ problem: 'resolver_unavailable' }),
        compute: async () => ({ problem: 'busy' }),
      })
      if (isProblem(answer)) refused.add(answer.problem)
    }
    expect([...refused].filter((code) => !(good.refusals ?? []).includes(code as never))).toEqual([])
    const isOfMarket = 'snapshot' in good.output.shape || good.grant?.kind === 'feed'
    expect(refused.size > 0).toBe(isOfMarket || (good.refusals ?? []).length > 0)
  })
})
