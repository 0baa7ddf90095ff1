import fc from 'fast-check'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { agentDigest } from '../../../api/checkout/open.ts'
import type { CardTruth } from '../../../api/checkout/provider.ts'
import { reversalOf, saleOf } from '../../../api/checkout/sale.ts'
import {
  countSales,
  type Group,
  type Line,
  MIN_BUYERS,
  maskHour,
  shownOnChainOf,
} from '../../../api/free/mask.ts'
import { type SeenSale, salesOf } from '../../../api/free/salesSince.ts'
import { AUDIT_DELAY_MS, keepAudit } from '../../../api/free/surfaceAudit.ts'
import { REFUND_PATH } from '../../../api/payment/refundMark.ts'
import { sha256Hex } from '../../../api/receipts/canonical.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { DAY, HOUR } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'

const DAY_MS = Math.floor(1_790_000_000_000 / DAY) * DAY
/** CARD and PACK have prices of their own; READ_1 and READ_2 look alike on chain. */
const shownOnChain = shownOnChainOf([
  { sku: 'CARD', priceMicroUsdc: 250_000n },
  { sku: 'READ_1', priceMicroUsdc: 1_000n },
  { sku: 'READ_2', priceMicroUsdc: 1_000n },
  { sku: 'PACK', priceMicroUsdc: 890_000n },
])
const sales = (sku: string, buyers: number, each = 1, from = 0): SeenSale[] =>
  Array.from({ length: buyers * each }, (_, n) => ({
    sku,
    payer: `buyer${from + (n % buyers)}`,
    purchasePath: 'x402',
  }))
const count = (seen: SeenSale[], hourMs = DAY_MS) => {
  const bySku = new Map<string | null, Group>()
  countSales(bySku, seen, hourMs, shownOnChain)
  return bySku
}
const mask = (seen: SeenSale[], left: Group | null = null, hourMs = DAY_MS) =>
  maskHour(count(seen, hourMs), left)
const told = (lines: Line[]) => lines.map(({ sku, sales: sold }) => [sku, sold])

describe('OPS-07 no line stands for fewer than five different buyers', () => {
  test.each([
    ['four buyers', sales('CARD', 4), []],
    ['five buyers', sales('CARD', 5), [['CARD', 5]]],
    ['fifty sales to four buyers are still four buyers', sales('CARD', 4, 13), []],
    ['small kinds become one line', [...sales('CARD', 3), ...sales('READ_1', 4, 1, 10)], [[null, 7]]],
    ['small kinds of the same buyers do not', [...sales('CARD', 3), ...sales('READ_1', 4)], []],
    [
      'a small kind joins those of a shared price, many as they are',
      [...sales('READ_1', 9), ...sales('CARD', 3)],
      [[null, 12]],
    ],
    ['the small rest beside a line waits', [...sales('CARD', 6), ...sales('READ_1', 2)], [['CARD', 6]]],
  ])('%s', (_, seen, lines) => expect(told(mask(seen).lines)).toEqual(lines))

  test('of the buyers no more are kept than a line needs, however many there are', () => {
    expect(count(sales('CARD', 50)).get('CARD')).toMatchObject({ sales: 50, buyers: { size: MIN_BUYERS } })
  })

  test('a kind of a shared price has no line: it would name what payers of that amount bought', () => {
    expect(told(mask(sales('READ_1', 9)).lines)).toEqual([[null, 9]])
    expect(told(mask([...sales('READ_1', 9), ...sales('READ_2', 5)]).lines)).toEqual([[null, 14]])
  })

  test('four wallets of one man and a stranger’s sale: they do not tell him what the stranger bought', () => {
    const mine = [...sales('READ_1', 4), ...sales('READ_2', 5), ...sales('CARD', 4)]
    const seen = (sku: string, purchasePath: string) =>
      told(mask([...mine, { sku, payer: 'stranger', purchasePath }]).lines)
    expect(seen('READ_1', 'x402')).toEqual(seen('READ_2', 'x402'))
    expect(seen('CARD', 'credit')).toEqual(seen('READ_1', 'credit'))
    expect(seen('CARD', 'card')).toEqual(seen('PACK', 'card'))
    expect(seen('CARD', 'x402')).toContainEqual(['CARD', 5]) //  a payment of that price is on chain
  })

  test('whatever was sold, the lines are the same for all journals that the chain shows alike', () => {
    const read = fc.constantFrom('READ_1', 'READ_2')
    const any = fc.constantFrom('CARD', 'PACK', 'READ_1', 'READ_2')
    const payer = fc.nat(9).map(String)
    const x402 = { payer, purchasePath: fc.constant('x402') }
    const card = fc.constant('CARD')
    const sale = fc.oneof(
      fc.record({ sku: read, other: read, ...x402 }),
      fc.record({ sku: card, other: card, ...x402 }), //  nothing else has its price
      fc.record({ sku: any, other: any, payer, purchasePath: fc.constantFrom('credit', 'card', 'classic') }),
    )
    fc.assert(
      fc.property(fc.array(fc.array(sale, { maxLength: 40 }), { minLength: 1, maxLength: 4 }), (hours) => {
        const linesOf = (which: 'sku' | 'other') => {
          let left: Group | null = null
          return hours.flatMap((hour, at) => {
            const seen = hour.map((one) => ({ ...one, sku: one[which] }))
            const masked = mask(seen, left, DAY_MS + at * HOUR)
            left = masked.left
            return masked.lines
          })
        }
        expect(linesOf('other')).toEqual(linesOf('sku'))
      }),
    )
  })

  test('too few wait for the next hour, and the line says which hours it is of', () => {
    const first = mask(sales('CARD', 3))
    expect(first).toMatchObject({ lines: [], left: { sales: 3 } })
    const second = mask(sales('READ_1', 2, 1, 10), first.left, DAY_MS + HOUR)
    expect(second).toEqual({
      lines: [{ fromMs: DAY_MS, untilMs: DAY_MS + 2 * HOUR, sku: null, sales: 5 }],
      left: null,
    })
  })

  test('for any sales of a day: every line has five buyers, every sale is in one line at most, no more are told', () => {
    const seen = fc.array(
      fc.record({ sku: fc.constantFrom('CARD', 'READ_1', 'READ_2'), payer: fc.integer({ min: 0, max: 9 }) }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(fc.array(seen, { minLength: 1, maxLength: 5 }), (hours) => {
        let left: Group | null = null
        let toldSales = 0
        hours.forEach((hour, at) => {
          const rows = hour.map(({ sku, payer }) => ({ sku, payer: String(payer), purchasePath: 'x402' }))
          const masked = mask(rows, left, DAY_MS + at * HOUR)
          left = masked.left
          for (const { sku, fromMs, untilMs, sales: sold } of masked.lines) {
            const hoursOf = hours.slice((fromMs - DAY_MS) / HOUR, (untilMs - DAY_MS) / HOUR).flat()
            const candidates = hoursOf.filter((row) => sku === null || row.sku === sku)
            expect(new Set(candidates.map(({ payer }) => payer)).size).toBeGreaterThanOrEqual(MIN_BUYERS)
            if (sku !== null) expect(sold).toBe(candidates.length)
            toldSales += sold
          }
        })
        expect(toldSales + ((left as Group | null)?.sales ?? 0)).toBe(hours.flat().length)
      }),
    )
  })
})

describe('/surface-audit.json over the ledger’s journal', () => {
  let server: Awaited<ReturnType<typeof startRedis>>
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = connectRedis(server.url, { log: quietLog, name: 'test-audit' })
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  beforeEach(() => redis.flushall())

  const SECRETS = { tx: `0x${'ab'.repeat(32)}`, amountMicroUsdc: '250000', attestationId: 'att-1' }
  const sell = async (atMs: number, seen: SeenSale[]) => {
    for (const [n, sale] of seen.entries())
      await redis.xadd('sales', `${atMs}-${n}`, 'sale', JSON.stringify({ ...sale, ...SECRETS }))
  }
  const auditAt = (nowMs: number) => {
    const clock = { nowMs }
    const audit = keepAudit({ clock: { nowMs: () => clock.nowMs }, salesSince: salesOf(redis), shownOnChain })
    return { clock, ...audit }
  }

  test('an hour comes out an hour after its end, and not a millisecond sooner', async () => {
    await sell(DAY_MS, sales('CARD', 5))
    await sell(DAY_MS + HOUR - 1, sales('CARD', 1))
    await sell(DAY_MS + HOUR, sales('CARD', 7)) // the next hour
    const audit = auditAt(DAY_MS + HOUR + AUDIT_DELAY_MS - 1)
    await audit.refresh()
    expect(audit.show().lines).toEqual([])
    audit.clock.nowMs++
    await audit.refresh()
    expect(audit.show()).toEqual({
      minBuyersPerLine: 5,
      delayMs: HOUR,
      lines: [
        {
          from: new Date(DAY_MS).toISOString(),
          until: new Date(DAY_MS + HOUR).toISOString(),
          sku: 'CARD',
          sales: 6,
        },
      ],
    })
  })

  test('who pays by card is one buyer, however many checkouts he opens', async () => {
    const ports = { publicUrl: 'http://127.0.0.1:8402', secret: Buffer.alloc(32, 7) }
    const bought = (buyer: string, n: number): SeenSale => {
      const checkout = {
        digest: sha256Hex(`checkout ${n}`),
        agent: agentDigest(buyer),
        sku: 'CARD',
        amountMicroUsdc: 1_000_000n,
        referral: '',
        from: null,
        sessionId: '',
        url: '',
        status: 'paid' as const,
        claimed: false,
        requestHash: '',
        input: null,
        draft: null,
        createdMs: DAY_MS,
        expiresMs: DAY_MS,
      }
      const truth = { status: 'paid' as const, paymentId: `pay ${n}`, paidMs: DAY_MS }
      const drawn = { text: '{}', snapshotVersion: null, requestHash: 'r' }
      const { terms } = saleOf(checkout, drawn, truth as CardTruth, ports)
      expect(reversalOf(checkout, truth as CardTruth, 1, { ...ports, mode: 'sandbox' }).payer).toBe(
        terms.payer,
      )
      expect(terms.payer).not.toContain(agentDigest(buyer).slice(0, 16))
      return { sku: 'CARD', payer: terms.payer, purchasePath: 'card' }
    }
    const lines = async () => {
      const audit = auditAt(DAY_MS + 3 * HOUR)
      await audit.refresh()
      return audit.show().lines
    }
    await sell(
      DAY_MS,
      [1, 2, 3, 4, 5].map((n) => bought('somebody', n)),
    )
    expect(await lines()).toEqual([])
    await sell(
      DAY_MS + 1,
      [6, 7, 8, 9].map((n) => bought(`other-${n}`, n)),
    )
    expect(await lines()).toMatchObject([{ sku: 'several', sales: 9 }])
  })

  test('neither payer, nor transaction, nor amount, nor receipt', async () => {
    await sell(DAY_MS, sales('CARD', 6))
    const audit = auditAt(DAY_MS + 3 * HOUR)
    await audit.refresh()
    const text = JSON.stringify(audit.show())
    expect(text).toContain('CARD')
    expect(text).not.toMatch(/buyer\d|0xab|250000|att-1/)
  })

  test('two looks differ by whole lines only: also of a process that started later', async () => {
    await sell(DAY_MS, sales('READ_1', 2))
    await sell(DAY_MS + HOUR, sales('CARD', 4, 1, 10))
    await sell(DAY_MS + 2 * HOUR, sales('CARD', 9, 1, 20))
    const early = auditAt(DAY_MS + 3 * HOUR)
    await early.refresh()
    const before = early.show().lines
    early.clock.nowMs += HOUR
    await early.refresh()
    const late = auditAt(early.clock.nowMs)
    await late.refresh()
    expect(before).toMatchObject([{ sku: 'several', sales: 6 }])
    expect(late.show().lines).toEqual(early.show().lines)
    expect(late.show().lines.slice(0, before.length)).toEqual(before)
    expect(late.show().lines).toHaveLength(2)
  })

  test('today and yesterday are shown, and what is left of a day is not carried over midnight', async () => {
    await sell(DAY_MS - DAY + HOUR, sales('CARD', 5))
    await sell(DAY_MS - HOUR, sales('CARD', 3, 1, 10))
    await sell(DAY_MS, sales('CARD', 3, 1, 20))
    const audit = auditAt(DAY_MS + 5 * HOUR)
    await audit.refresh()
    expect(audit.show().lines).toMatchObject([{ sku: 'CARD', sales: 5 }])
    audit.clock.nowMs += DAY
    await audit.refresh()
    expect(audit.show().lines).toEqual([])
  })

  test('hours that a clock ahead has closed too soon are counted anew when it is set back', async () => {
    await sell(DAY_MS, sales('CARD', 5))
    await sell(DAY_MS + 2 * HOUR, sales('CARD', 6, 1, 10))
    const audit = auditAt(DAY_MS + 5 * HOUR)
    await audit.refresh()
    const before = audit.show().lines
    expect(before).toMatchObject([{ sales: 5 }, { sales: 6 }])
    for (const jumpMs of [12 * HOUR, DAY]) {
      audit.clock.nowMs += jumpMs
      await audit.refresh()
      audit.clock.nowMs -= jumpMs
      await audit.refresh()
      expect(audit.show().lines).toEqual(before)
    }
    await sell(DAY_MS + 7 * HOUR, sales('CARD', 7, 1, 20))
    audit.clock.nowMs += 6 * HOUR
    await audit.refresh()
    const late = auditAt(audit.clock.nowMs)
    await late.refresh()
    expect(audit.show().lines).toMatchObject([{ sales: 5 }, { sales: 6 }, { sales: 7 }])
    expect(audit.show().lines).toEqual(late.show().lines)
  })

  test('a clock that is read anew may be a little earlier: an hour that was shown stays', async () => {
    await sell(DAY_MS, sales('CARD', 5))
    const audit = auditAt(DAY_MS + HOUR + AUDIT_DELAY_MS)
    await audit.refresh()
    audit.clock.nowMs -= 5
    await audit.refresh()
    expect(audit.show().lines).toMatchObject([{ sales: 5 }])
  })

  test('more sales than a page, and entries that are no sale', async () => {
    await sell(DAY_MS, sales('CARD', 20, 60)) // 1,200
    await redis.xadd('sales', `${DAY_MS + 5}-0`, 'sale', '{"sku":7}')
    await redis.xadd('sales', `${DAY_MS + 6}-0`, 'other', 'x')
    await redis.xadd('sales', `${DAY_MS + 7}-0`, 'sale', 'no JSON')
    await sell(
      DAY_MS + 8,
      sales('CARD', 5).map((sale) => ({ ...sale, purchasePath: REFUND_PATH })), //  nothing was delivered
    )
    const audit = auditAt(DAY_MS + 3 * HOUR)
    await audit.refresh()
    expect(audit.show().lines).toMatchObject([{ sku: 'CARD', sales: 1_200 }])
  })

  test('a ledger that does not answer leaves what was shown, and loses nothing', async () => {
    await sell(DAY_MS, sales('CARD', 5))
    await sell(DAY_MS + HOUR, sales('CARD', 6, 1, 10))
    const broken = new Set([DAY_MS])
    const read = salesOf(redis)
    const clock = { ms: DAY_MS + 2 * HOUR, nowMs: () => clock.ms }
    const audit = keepAudit({
      clock,
      salesSince: async function* (from, until) {
        yield* read(from, until)
        if (broken.has(from)) throw new Error('gone')
      },
      shownOnChain,
    })
    const shown = () => audit.show().lines.map(({ sales: sold }) => sold)
    await expect(audit.refresh()).rejects.toThrow('gone')
    expect(shown()).toEqual([])
    broken.clear()
    await audit.refresh()
    expect(shown()).toEqual([5])
    for (const hourMs of [DAY_MS, DAY_MS + HOUR]) broken.add(hourMs)
    clock.ms += HOUR
    await expect(audit.refresh()).rejects.toThrow('gone')
    expect(shown()).toEqual([5])
    broken.clear()
    await audit.refresh()
    expect(shown()).toEqual([5, 6])
  })
})
