import { levels, mirrored, stepAt } from '../book.ts'
import { type Out, written } from '../out.ts'
import type { Found, ListedEvent, ListedMarket, Span, WorldA } from '../world.ts'
import { mix } from './dice.ts'
import { type Figures, figuresOf, type Pace, stepOf } from './figures.ts'
import * as ids from './ids.ts'
import { type Instance, type Instances, listedOn, phaseOf } from './instance.ts'
import { eventFiguresA, type Step, stepA, weekOf, writeMarketA } from './jsonA.ts'
import type { Slot } from './plan.ts'
import { type TextA, textA } from './textA.ts'
import { textCache } from './textCache.ts'

/** Rank in the listing: slot, then past before current. */
const rank = (slot: number, current: boolean) => `${String(slot).padStart(6, '0')}${current ? '1' : '0'}`

export const generations = (span: Span): readonly boolean[] =>
  span === 'all' ? [false, true] : [span === 'current']

/** Venue A's side of the generated world. */
export function generatedA(slots: readonly Slot[], instances: Instances, pace: Pace): WorldA {
  const textOf = textCache<TextA>(textA)

  const listed = (instance: Instance, nowMs: number): ListedEvent => {
    const current = nowMs < instance.endMs
    const stepMs = stepOf(instance, 'a', pace, nowMs)
    const phases = instance.a.map((bone) => phaseOf(instance, bone, nowMs))
    const closed = phases.every((phase) => phase === 'closed')
    const text = () => textOf(instance, current)
    let figures: Figures[] | null = null
    const figuresNow = () => {
      figures ??= figuresOf(instance, 'a', stepMs, instance.a)
      return figures
    }
    let made: Step | null = null
    const step = () => {
      made ??= stepA(instance, stepMs, nowMs)
      return made
    }
    const writeMarket = (out: Out, index: number) =>
      writeMarketA(out, instance, text(), index, figuresNow()[index]!, phases[index]!, step())
    return {
      key: rank(instance.slot.index, current),
      id: instance.idA,
      series: '',
      closed,
      markets: instance.a.map(
        (bone, index): ListedMarket => ({
          id: bone.id,
          open: phases[index] === 'open',
          closed: phases[index] === 'closed',
          status: '',
          write: (out) => writeMarket(out, index),
        }),
      ),
      write(out, nested) {
        out.bytes(text().head)
        out.ascii(eventFiguresA(figuresNow(), closed, step()))
        if (nested) {
          out.ascii(',"markets":[')
          for (let i = 0; i < instance.a.length; i++) {
            if (i > 0) out.ascii(',')
            writeMarket(out, i)
          }
          out.ascii(']')
        }
        out.bytes(text().tail)
      },
    }
  }

  const instanceAt = (slotIndex: number, generation: number, nowMs: number): Instance | null => {
    const slot = slots[slotIndex]
    if (slot === undefined || !listedOn('a', slot) || generation < 0) return null
    const newest = instances.current(slot, nowMs)
    if (generation > newest.generation) return null
    return generation === newest.generation ? newest : instances.at(slot, generation)
  }

  /** The instance and place behind a market id that exists. */
  const placeOf = (id: string, nowMs: number) => {
    const at = ids.parseMarketId(id)
    const instance = at === null ? null : instanceAt(at.slot, at.generation, nowMs)
    const bone = at === null ? undefined : instance?.a[at.index]
    return instance === null || bone === undefined ? null : { instance, bone, index: at!.index }
  }

  const market = (id: string, nowMs: number): Found | null => {
    const at = placeOf(id, nowMs)
    if (at === null) return null
    const event = listed(at.instance, nowMs)
    return { event, market: event.markets[at.index]! }
  }

  const event = (id: string, nowMs: number): ListedEvent | null => {
    const at = ids.parseEventId(id)
    const instance = at === null ? null : instanceAt(at.slot, at.generation, nowMs)
    return instance === null ? null : listed(instance, nowMs)
  }

  return {
    *events(nowMs, after, span) {
      for (let i = after === null ? 0 : Number(after.slice(0, 6)); i < slots.length; i++) {
        const slot = slots[i]!
        if (!listedOn('a', slot)) continue
        for (const current of generations(span)) {
          if (after !== null && rank(i, current) <= after) continue
          yield listed(current ? instances.current(slot, nowMs) : instances.past(slot, nowMs), nowMs)
        }
      }
    },
    event,
    market,
    eventBySlug(slug, nowMs) {
      const found = event(ids.idInEventSlug(slug) ?? '', nowMs)
      return found !== null && JSON.parse(written((out) => found.write(out, false))).slug === slug
        ? found
        : null
    },
    marketBy(key, value, nowMs) {
      const id =
        key === 'slug'
          ? ids.idInMarketSlug(value)
          : key === 'token'
            ? (ids.idInToken(value)?.id ?? null)
            : ids.idInCondition(value)
      const at = id === null ? null : placeOf(id, nowMs)
      if (id === null || at === null) return null
      const { instance, bone, index } = at
      const made =
        key === 'token'
          ? ids.tokenId(bone.key, id, ids.idInToken(value)!.outcome)
          : key === 'condition'
            ? ids.conditionId(bone.key, id)
            : ids.marketSlug(
                textOf(instance, nowMs < instance.endMs).markets[index]!.slugStem,
                bone.key,
                weekOf(nowMs),
              )
      return made === value ? market(id, nowMs) : null
    },
    book(token, nowMs) {
      const named = ids.idInToken(token)
      const at = named === null ? null : placeOf(named.id, nowMs)
      if (named === null || at === null) return null
      const { instance, bone, index } = at
      if (ids.tokenId(bone.key, named.id, named.outcome) !== token) return null
      const phase = phaseOf(instance, bone, nowMs)
      if (phase === 'closed' || phase === 'pending') return null
      const stepMs = stepOf(instance, 'a', pace, nowMs)
      const figures = figuresOf(instance, 'a', stepMs, instance.a)[index]!
      const depth = 2 + (mix(bone.key, 0xdee9) % 14)
      const yes =
        figures.oddity === 'bookGone'
          ? { bids: [], asks: [] }
          : levels(figures, figures.grid, bone.key, depth)
      return {
        conditionId: ids.conditionId(bone.key, named.id),
        tokenId: token,
        levels: named.outcome === 0 ? yes : mirrored(yes),
        tickBps: stepAt(figures.grid, figures.fair),
        negRisk: textOf(instance, true).negRisk,
        lastBps: named.outcome === 0 || figures.last === 0 ? figures.last : 10_000 - figures.last,
        atMs: stepMs,
      }
    },
  }
}
