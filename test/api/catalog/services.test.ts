import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isProblem } from '../../../api/errors.ts'
import { dlq } from '../../../api/goods/services/dlq.ts'
import { inquiry } from '../../../api/goods/services/inquiry.ts'
import { signalFeed } from '../../../api/goods/services/signalFeed.ts'
import { conclude } from '../../../api/goods/services/verdict.ts'
import type { Compute } from '../../../api/goods/utility/pool/pool.ts'
import { work } from '../../../api/goods/utility/pool/work.ts'
import { someBookRow, someEdge, someGap, someMover, someNet } from '../../support/boards.ts'
import { gapsBody, MAX_AGE, moversBody, NOW, portsOver } from '../goods/support.ts'

const boards = {
  gaps: gapsBody([someGap()]),
  nets: { rows: [someNet()] },
  edges: { rows: [someEdge()] },
  movers: moversBody({ day: [someMover()] }),
  book: { a: [someBookRow()], b: [] },
}
const ask = (q: string | undefined, bodies: object = boards, change = {}) =>
  inquiry.answer(inquiry.input.parse(q === undefined ? {} : { q }), portsOver(bodies, change))
const triageOf = async (samples: string[], compute: Compute = async (task) => work(task)) => {
  const draft = await dlq.answer(dlq.input.parse({ samples }), { ...portsOver({}), compute })
  if (isProblem(draft)) throw new Error(draft.problem)
  return draft.result.dlq
}

const NET = { found: true, netCents: 2, executable: true }
const concluded = (net: object, edge: Parameters<typeof conclude>[1], topic = 'Hawks win') =>
  conclude(
    {
      spread: { found: true, topic: 'Hawks win', gapCents: 3, cheaperVenue: 'a', matchVerdict: 'identity' },
      net: { ...net, rows: [{ topic }] },
      move: { rows: [{}] },
      book: { rows: [] },
    },
    edge,
  )

describe('SKU_INQUIRY_01: one report from all boards', () => {
  test('without a topic: on the largest live gap', async () => {
    expect(await ask(undefined)).toMatchObject({
      result: {
        inquiry: {
          topic: 'Fed cuts rates in December 2026',
          spread: { gapCents: 7 },
          verdict: { tradable: true, edgeCents: 3.27 },
        },
        asOf: expect.any(Object),
        recorded: false,
      },
      snapshotVersion: 1,
    })
  })

  test('a topic that only one venue has is still reported', async () => {
    const draft = await ask('tennis', {
      ...boards,
      book: { a: [someBookRow({ topic: 'Tennis final' })], b: [] },
    })
    expect(draft).toMatchObject({
      result: { inquiry: { spread: { found: false }, verdict: { tradable: false } } },
    })
  })

  test.each([
    ['a topic nobody has', 'zzyzx', boards, {}, 'no_data'],
    ['no boards', 'fed', {}, {}, 'no_data'],
    ['one board missing', 'fed', { ...boards, movers: undefined }, {}, 'no_data'],
    ['what is left after fees is not known', 'fed', { ...boards, edges: undefined }, {}, 'no_data'],
    ['old data', 'fed', boards, { asOfMs: { a: NOW - MAX_AGE - 1, b: NOW } }, 'stale_data'],
  ])('%s: refused before any money moves', async (_, q, bodies, change, problem) => {
    const known = Object.fromEntries(Object.entries(bodies).filter(([, body]) => body !== undefined))
    expect(await ask(q, known, change)).toMatchObject({ problem })
  })

  test.each([
    ['a cent left after fees', NET, 1, 'buy_a_sell_b', true],
    ['less than rounding takes away', NET, 0.01, 'watch', true],
    ['fees take all', NET, 0, 'watch', false],
    ['fees take more than all', NET, -1.75, 'watch', false],
    ['advised against', NET, 1, 'avoid', false],
    ['not executable', { ...NET, executable: false }, 1, 'watch', false],
    ['no pair', { found: false, netCents: null, executable: null }, undefined, 'watch', false],
  ] as const)('%s', (_, net, edgeCents, suggestedAction, tradable) => {
    const verdict = concluded(net, edgeCents === undefined ? undefined : { edgeCents, suggestedAction })
    expect([verdict.tradable, verdict.edgeCents]).toEqual([tradable, edgeCents ?? null])
  })

  test.each([
    ['its edge after fees is the board’s', {}, 3.27, true],
    ['fees take more than the net', { edgeCents: -1.75, suggestedAction: 'watch' }, -1.75, false],
    ['no edge of this pair is among the best', { b: { ...someEdge().b, marketId: 'OTHER' } }, null, false],
    ['nor of another market of its venue A', { a: { ...someEdge().a, title: 'Other' } }, null, false],
    ['nor of one at another address', { a: { ...someEdge().a, url: 'https://other' } }, null, false],
  ] as const)('%s', async (_, change, edgeCents, tradable) => {
    const draft = await ask('fed', { ...boards, edges: { rows: [someEdge(change as object)] } })
    expect(draft).toMatchObject({ result: { inquiry: { verdict: { edgeCents, tradable } } } })
  })

  test('the verdict names the question each figure belongs to: the widest gap and the best net may be two pairs', () => {
    const { summary, reasons } = concluded(NET, { edgeCents: 1, suggestedAction: 'buy_a_sell_b' }, 'Suns win')
    expect(reasons[0]).toBe(
      'Both venues quote "Hawks win" (identity); the mid prices are 3 cents apart, venue A is cheaper.',
    )
    expect(reasons[1]).toMatch(
      /^Buying the ask and selling the bid of "Suns win" .* leaves 2 cents before fees and 1 cent after both venues’ taker fees \(suggested: buy_a_sell_b\);/,
    )
    expect(reasons[2]).toBe('Listed here: 1 mover of the day, 0 liquid books.')
    expect(summary).toBe('A gap worth 1 cent after fees is open now: "Suns win".')
  })
})

describe('SKU_DLQ_01: up to 100 failed samples, sorted by what failed', () => {
  test('classes by frequency, with positions and one next action each; no sample comes back', async () => {
    const said = await triageOf([
      'connect ECONNREFUSED 127.0.0.1:5432 canary-one',
      'HTTP 503 Service Unavailable',
      'connect ECONNREFUSED 127.0.0.1:5433',
    ])
    expect(said).toMatchObject({ samples: 3, classes: [{ count: 2, samples: [0, 2] }, { count: 1 }] })
    expect(JSON.stringify(said)).not.toContain('canary-one')
  })

  test.each([
    ['100 samples', Array.from({ length: 100 }, () => 'error'), true],
    ['101 samples', Array.from({ length: 101 }, () => 'error'), false],
    ['none', [], false],
    ['an empty one', ['error', ' '], false],
    ['64 KiB together', ['x'.repeat(65_535), 'y'], true],
    ['a byte more', ['x'.repeat(65_535), 'é'], false],
    ['no text', [1], false],
  ])('%s', (_, samples, good) => {
    expect(dlq.input.safeParse({ samples }).success).toBe(good)
  })

  test('INP-16: each sample is worked out where a scan is, beside the event loop; a pool that has no room refuses all', async () => {
    const asked: unknown[] = []
    const compute: Compute = async (task) => {
      asked.push(task)
      return asked.length === 3 ? { problem: 'busy' } : work(task)
    }
    await expect(triageOf(['HTTP 503', 'x'.repeat(60_000), 'timeout', 'never'], compute)).rejects.toThrow(
      'busy',
    )
    expect(asked).toHaveLength(3)
    expect(asked[1]).toEqual({ sku: 'SKU_AG_SCAN_01', input: { raw: 'x'.repeat(60_000) } })
  })

  test('whatever the samples are, every one is in exactly one class', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 1, maxLength: 10 }),
        async (samples) => {
          const kept = samples.filter((sample) => sample.trim() !== '')
          if (kept.length === 0) return
          const { classes } = (await triageOf(kept)) as { classes: { samples: number[] }[] }
          expect(classes.flatMap((one) => one.samples).sort((a, b) => a - b)).toEqual(
            kept.map((__, at) => at),
          )
        },
      ),
      { numRuns: 50 },
    )
  })
})

test('SKU_SIGNAL_FEED_29 is not sold while there is nothing to tell', () => {
  expect(signalFeed.answer({}, portsOver({}))).toMatchObject({ problem: 'no_data' })
})
