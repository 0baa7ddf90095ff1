import fc from 'fast-check'

/** Prices of both venues from round to round, and what has to be told of their gaps. Prices are whole bps. */
export const ROUNDS = 14
/** In this round the engine is killed. */
export const KILLED_AT = 6
const PLACES = [
  'Chile',
  'Peru',
  'Kenya',
  'Nepal',
  'Ghana',
  'Malta',
  'Qatar',
  'Samoa',
  'Tonga',
  'Yemen',
  'Fiji',
  'Oman',
]

export type Top = { bid: number | null; ask: number | null }
export type PairStory = {
  place: string
  pairId: string
  hoursApart: number | null //  between the closing times; null: a states none
  rate: 0 | 50 //               of a's fee, thousandths
  rounds: { a: Top; b: Top; isClosed: boolean }[]
}

/** Twice the distance of the mids in bps, so that halves are whole. At limits and just beside them often. */
const twiceGap = fc.oneof(
  fc.integer({ min: 0, max: 1_900 }),
  fc.constantFrom(
    0,
    1,
    2,
    198,
    199,
    200,
    201,
    202,
    397,
    398,
    399,
    400,
    401,
    402,
    800,
    1_999,
    2_000,
    2_001,
    2_400,
  ),
)

export const gapStory: fc.Arbitrary<PairStory[]> = fc.tuple(
  ...PLACES.map((place, at) =>
    fc
      .record({
        hoursApart: fc.constantFrom(0, 48, 49, null),
        rate: fc.constantFrom<0 | 50>(0, 50),
        rounds: fc.array(
          fc.record({
            twiceGap,
            sign: fc.constantFrom(1, -1),
            spread: fc.constantFrom(1, 2, 3, 10, 100, 301),
            lost: fc.oneof(
              { weight: 9, arbitrary: fc.constant('none') },
              { weight: 1, arbitrary: fc.constantFrom('bid', 'ask', 'crossed') },
            ),
            isClosed: fc.oneof(
              { weight: 19, arbitrary: fc.constant(false) },
              { weight: 1, arbitrary: fc.constant(true) },
            ),
          }),
          { minLength: ROUNDS, maxLength: ROUNDS },
        ),
      })
      .map(({ hoursApart, rate, rounds }): PairStory => {
        //  one venue moves in a round: both moving would be two states
        let [a, b]: [Top, Top] = [
          { bid: 4_900, ask: 5_100 },
          { bid: 4_900, ask: 5_100 },
        ]
        const told = rounds.map(({ twiceGap: wanted, sign, spread, lost }, round) => {
          const isLast = round >= ROUNDS - 2
          //  whole cents that a card shows: what was not told is not known after the engine was killed
          const gap = round > KILLED_AT ? wanted : Math.min(wanted - (wanted % 200), 1_800)
          const other = round % 2 === 0 ? b : a
          const from =
            other.bid === null || other.ask === null || other.bid >= other.ask
              ? 10_000
              : other.bid + other.ask
          let twice = from + (isLast ? 0 : sign * gap)
          if (twice < 2_500 || twice > 17_500) twice = from - (isLast ? 0 : sign * gap)
          const half = Math.max(1, spread - ((spread + twice) % 2))
          const wide = (twice + half) % 2 === 0 ? half : half + 1
          let top: Top = { bid: (twice - wide) / 2, ask: (twice + wide) / 2 }
          if (!isLast && lost === 'bid') top = { ...top, bid: null }
          if (!isLast && lost === 'ask') top = { ...top, ask: null }
          if (!isLast && lost === 'crossed') top = { bid: top.ask, ask: top.bid }
          if (round % 2 === 0) a = top
          else b = top
          //  it closes and comes back with a's rounds
          return { a, b, isClosed: !isLast && rounds[round - (round % 2)]!.isClosed }
        })
        return {
          place,
          pairId: `a:${100 + at}|b:KXVISIT-27JUN30-${place.toUpperCase()}`,
          hoursApart,
          rate,
          rounds: told,
        }
      }),
  ),
)

const twiceMid = ({ bid, ask }: Top): number | null =>
  bid === null || ask === null || bid >= ask ? null : bid + ask

/** Hundredths of a cent that two mids are apart, halves up; null: one of them has none. */
export function gapOf({ a, b }: { a: Top; b: Top }): number | null {
  const [midA, midB] = [twiceMid(a), twiceMid(b)]
  return midA === null || midB === null ? null : Math.ceil(Math.abs(midA - midB) / 2)
}

export type ToldEpisode = {
  opened: number // rounds
  peak: number
  half: number | null
  closed: number
  open_cents: number
  peak_cents: number
  last_cents: number
  ever_executable: boolean
  why_closed: string
}
export type State = { episode: ToldEpisode | null; hasCard: boolean }

/** All that became of the gaps of a pair, and how it stood in each round. */
export function livesOf({ rounds, hoursApart }: PairStory): { ended: ToldEpisode[]; states: State[] } {
  const ended: ToldEpisode[] = []
  const states: State[] = []
  let now = null as ToldEpisode | null
  const isNear = hoursApart !== null && hoursApart <= 48
  for (const [round, shown] of rounds.entries()) {
    const gap: number | null = gapOf(shown)
    if (shown.isClosed) {
      if (now !== null) ended.push({ ...now, closed: round, why_closed: 'gone' })
      now = null
    } else if (gap !== null && now === null && gap >= 200) {
      const cents = gap / 100
      now = {
        opened: round,
        peak: round,
        half: null,
        closed: -1,
        open_cents: cents,
        peak_cents: cents,
        last_cents: cents,
        ever_executable: isNear,
        why_closed: '',
      }
    } else if (gap !== null && now !== null) {
      now = seenAgain(now, round, gap, isNear)
      if (gap <= 100) {
        ended.push({ ...now, closed: round, why_closed: 'narrowed' })
        now = null
      }
    }
    const hasCard = !shown.isClosed && gap !== null && gap > 0 && gap <= 1_000 && bestOf(shown).net <= 1_000
    states.push({ episode: now, hasCard })
  }
  return { ended, states }
}

function seenAgain(before: ToldEpisode, round: number, gap: number, isNear: boolean): ToldEpisode {
  const peak = Math.round(before.peak_cents * 100)
  const last = { ...before, last_cents: gap / 100, ever_executable: before.ever_executable || isNear }
  if (gap > peak) return { ...last, peak: round, peak_cents: gap / 100, half: null }
  return { ...last, half: before.half ?? (2 * gap <= peak ? round : null) }
}

export type Best = { venue: 'a' | 'b'; buy: number; sell: number; net: number }

/** The better way to buy one ask and sell the other's bid; a where both are equal. */
export function bestOf({ a, b }: { a: Top; b: Top }): Best {
  const [buyA, buyB] = [b.bid! - a.ask!, a.bid! - b.ask!]
  return buyB > buyA
    ? { venue: 'b', buy: b.ask!, sell: a.bid!, net: buyB }
    : { venue: 'a', buy: a.ask!, sell: b.bid!, net: buyA }
}

/** Cents left after both takers' fees, hundredths, halves away from zero. */
export function edgeOf({ venue, buy, sell, net }: Best, rate: number): number {
  const fee = (thousandths: number, bps: number) =>
    BigInt(thousandths) * 1_000n * BigInt(bps) * BigInt(10_000 - bps)
  const [priceA, priceB] = venue === 'a' ? [buy, sell] : [sell, buy]
  const units = BigInt(net) * 10n ** 10n - fee(rate, priceA) - fee(70, priceB)
  const size = units < 0n ? -units : units
  const rounded = Number((2n * size + 10n ** 10n) / (2n * 10n ** 10n))
  return (units < 0n ? -rounded : rounded) / 100 + 0
}
