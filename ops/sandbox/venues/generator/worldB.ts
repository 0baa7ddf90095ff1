import { levels } from '../book.ts'
import type { Out } from '../out.ts'
import type { Found, ListedEvent, ListedMarket, SeriesB, WorldB } from '../world.ts'
import { combo, comboCount, type Leg } from './combos.ts'
import { mix } from './dice.ts'
import { type Figures, figuresOf, type Pace, stepOf } from './figures.ts'
import { type Instance, type Instances, listedOn, phaseOf } from './instance.ts'
import { statusOf, writeMarketB } from './jsonB.ts'
import type { Slot } from './plan.ts'
import { seriesNow } from './series.ts'
import { type TextB, textB } from './textB.ts'
import { textCache } from './textCache.ts'
import { tickerIndex } from './tickers.ts'
import { generations } from './worldA.ts'

/** Rank in the listing; combinations rank before all of it. */
const rank = (slot: number, current: boolean, number: number) =>
  `1${String(slot).padStart(6, '0')}${current ? '1' : '0'}${number}`

/** Venue B's side of the generated world. */
export function generatedB(
  slots: readonly Slot[],
  instances: Instances,
  pace: Pace,
  seed: number,
  size: number,
): WorldB {
  const textOf = textCache<TextB>(textB)
  const tickers = tickerIndex(slots, instances)
  let series: { fromMs: number; list: SeriesB[] } | null = null

  const listed = (instance: Instance, number: number, nowMs: number): ListedEvent => {
    const current = nowMs < instance.endMs
    const stepMs = stepOf(instance, 'b', pace, nowMs)
    const bones = instance.b.filter((bone) => bone.event === number)
    const phases = bones.map((bone) => phaseOf(instance, bone, nowMs))
    const text = () => textOf(instance, current)
    let figures: Figures[] | null = null
    const writeMarket = (out: Out, i: number) => {
      figures ??= figuresOf(instance, 'b', stepMs, bones)
      const words = text().markets[instance.b.indexOf(bones[i]!)]!
      writeMarketB(out, instance, bones[i]!, words, figures[i]!, phases[i]!)
    }
    return {
      key: rank(instance.slot.index, current, number),
      id: instance.tickers[number]!,
      series: instance.tickers[number]!.slice(0, instance.tickers[number]!.indexOf('-')),
      closed: phases.every((phase) => phase === 'closed'),
      markets: bones.map(
        (bone, i): ListedMarket => ({
          id: bone.id,
          open: phases[i] === 'open',
          closed: phases[i] === 'closed',
          status: statusOf(phases[i]!),
          write: (out) => writeMarket(out, i),
        }),
      ),
      write(out, nested) {
        out.bytes(text().events[number]!)
        if (nested) {
          out.ascii(',"markets":[')
          for (let i = 0; i < bones.length; i++) {
            if (i > 0) out.ascii(',')
            writeMarket(out, i)
          }
          out.ascii(']')
        }
        out.ascii('}')
      },
    }
  }

  const instanceOf = (eventTicker: string, nowMs: number): Instance | null => {
    const at = tickers.find(eventTicker, nowMs)
    return at === null ? null : instances.at(at.slot, at.generation)
  }

  const event = (id: string, nowMs: number): ListedEvent | null => {
    const instance = instanceOf(id, nowMs)
    return instance === null ? null : listed(instance, instance.tickers.indexOf(id), nowMs)
  }

  /** A market's ticker is its event's ticker, a dash and a suffix that may hold dashes itself. */
  const market = (id: string, nowMs: number): Found | null => {
    for (let cut = id.lastIndexOf('-'); cut > 0; cut = id.lastIndexOf('-', cut - 1)) {
      const found = event(id.slice(0, cut), nowMs)
      const child = found?.markets.find((candidate) => candidate.id === id)
      if (found !== null && child !== undefined) return { event: found, market: child }
    }
    return null
  }

  /** Markets that a combination refers to: the first of some events, by number. */
  const legs = (number: number, nowMs: number): Leg[] => {
    const picked: Leg[] = []
    for (let i = 0; i < 3; i++) {
      const slot = slots[mix(mix(seed, number), i + 7) % slots.length]!
      if (!listedOn('b', slot)) continue
      const instance = instances.current(slot, nowMs)
      picked.push({
        eventTicker: instance.tickers[0]!,
        marketTicker: instance.b[0]!.id,
        title: instance.b[0]!.id,
      })
    }
    return picked
  }

  return {
    *events(nowMs, after, span) {
      for (let i = after === null ? 0 : Number(after.slice(1, 7)); i < slots.length; i++) {
        const slot = slots[i]!
        if (!listedOn('b', slot)) continue
        for (const current of generations(span)) {
          const instance = current ? instances.current(slot, nowMs) : instances.past(slot, nowMs)
          for (let number = 0; number < instance.tickers.length; number++)
            if (after === null || rank(i, current, number) > after) yield listed(instance, number, nowMs)
        }
      }
    },
    event,
    market,
    *combos(nowMs, after) {
      const count = comboCount(size)
      for (let number = after === null ? 0 : Number(after.slice(1)) + 1; number < count; number++)
        yield combo(seed, number, nowMs, legs(number, nowMs))
    },
    book(ticker, nowMs) {
      const found = market(ticker, nowMs)
      const instance = found === null ? null : instanceOf(found.event.id, nowMs)
      if (found === null || instance === null) return null
      const index = instance.b.findIndex((bone) => bone.id === ticker)
      const bone = instance.b[index]!
      const stepMs = stepOf(instance, 'b', pace, nowMs)
      const figures = figuresOf(instance, 'b', stepMs, instance.b)[index]!
      const { status } = found.market
      if (figures.oddity === 'bookGone' || status === 'determined' || status === 'finalized')
        return { bids: [], asks: [] }
      return levels(figures, figures.grid, bone.key, 2 + (mix(bone.key, 0xdee9) % 14))
    },
    series(nowMs) {
      // a minute old at most: a listing of thousands is not made for every request
      if (series === null || nowMs < series.fromMs || nowMs >= series.fromMs + 60_000)
        series = { fromMs: nowMs, list: seriesNow(slots, instances, nowMs) }
      return series.list
    },
    feeChanges: () => [
      {
        id: 'a3f1c2d4-0000-4000-8000-000000000001',
        series: 'KXNHLGAME',
        feeType: 'quadratic_with_maker_fees',
        feeMultiplier: 1,
        atMs: Date.UTC(2026, 8, 1),
      },
    ],
  }
}
