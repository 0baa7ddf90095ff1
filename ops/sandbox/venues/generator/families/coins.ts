import { DAY, HOUR, MINUTE } from '../../../../units.ts'
import { everyMs } from '../cadence.ts'
import { day } from '../calendar.ts'
import type { Family } from '../topic.ts'

/** Name, ticker, price around which strikes are set, distance of strikes. */
const COINS = [
  ['Bitcoin', 'BTC', 92_000, 1_000],
  ['Ethereum', 'ETH', 3_100, 50],
  ['Solana', 'SOL', 140, 5],
  ['XRP', 'XRP', 2.2, 0.05],
  ['Dogecoin', 'DOGE', 0.16, 0.005],
  ['Cardano', 'ADA', 0.46, 0.01],
  ['Avalanche', 'AVAX', 14.5, 0.5],
  ['Chainlink', 'LINK', 13, 0.5],
  ['Litecoin', 'LTC', 88, 2],
  ['Polkadot', 'DOT', 2.4, 0.1],
  ['Ethereum Classic', 'ETC', 14, 0.5],
  ['Bitcoin Cash', 'BCH', 540, 10],
  ['Sui', 'SUI', 1.5, 0.05],
  ['Hyperliquid', 'HYPE', 33, 1],
  ['Stellar', 'XLM', 0.25, 0.01],
  ['Toncoin', 'TON', 1.6, 0.05],
] as const

const STRIKES = 7
const money = (value: number) => {
  const [whole, fraction] = String(Number(value.toPrecision(7))).split('.')
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? `$${grouped}` : `$${grouped}.${fraction.padEnd(2, '0')}`
}

/** Price of a coin at one hour against a ladder: the daily one (5 PM) and one of a nearer hour. */
export const coinLadders: Family = {
  name: 'coinLadders',
  weight: 8,
  capacity: COINS.length * 4,
  twists: ['different_date', 'different_shape', 'different_threshold'],
  flips: false,
  // 0: the day's ladder; 1…3: six-hourly ladders, each at hours of its own
  cadence: (subject) => {
    const kind = Math.floor(subject / COINS.length)
    return kind === 0
      ? everyMs(DAY, 22 * HOUR, 30 * MINUTE)
      : everyMs(6 * HOUR, kind * 2 * HOUR + HOUR, 10 * MINUTE)
  },
  topic: ({ subject, dice, decideMs, twist }) => {
    const [name, ticker, center, gap] = COINS[subject % COINS.length]!
    const at = day(decideMs)
    const atB = twist === 'different_date' ? day(decideMs + DAY) : at
    const middle = Math.round(center / gap) + dice.int('middle', 9) - 4
    const strike = (i: number, extra = 0) =>
      Number(((middle + i - (STRIKES - 1) / 2 + extra) * gap).toPrecision(8))
    const offset = twist === null ? 0 : STRIKES
    const touch = twist === 'different_shape'
    const extra = twist === 'different_threshold' ? 0.5 : 0
    const ladder = Array.from({ length: STRIKES }, (_, i) => i)
    return {
      category: 'crypto',
      tags: ['Crypto', 'Crypto Prices', name],
      shape: 'falling',
      count: STRIKES,
      a: {
        event: {
          title: `${name} above ___ on ${at.monthDay}, ${at.hour} ET?`,
          rules: `This market will resolve to "Yes" if the price of ${name} (${ticker}/USD) is above the listed price at ${at.hour} ET on ${at.long}. Otherwise, this market will resolve to "No".\n\nThe resolution source is the average of the CF Benchmarks real time index over the sixty seconds before ${at.hour} ET. Prices at other times do not matter.`,
        },
        markets: ladder.map((i) => ({
          prop: i,
          question: `Will the price of ${name} be above ${money(strike(i))} on ${at.monthDay} at ${at.hour} ET?`,
          group: money(strike(i)).slice(1),
        })),
      },
      b: {
        events: [
          {
            series: `KX${ticker}${touch ? 'MAX' : 'D'}`,
            suffix: `${atB.code}${atB.hourCode}`,
            title: touch
              ? `How high will ${name} get on ${atB.short}?`
              : `${name} price on ${atB.short} at ${atB.hour.toLowerCase()} ${atB.zone}?`,
            sub: `${atB.short} at ${atB.hour.toLowerCase()} ${atB.zone}`,
            extra:
              'The price is the simple average of the CF Benchmarks real time index in the last sixty seconds.',
          },
        ],
        markets: ladder.map((i) => {
          const value = strike(i, extra)
          return {
            event: 0,
            prop: offset + i,
            code: `T${value}`,
            title: touch
              ? `Will ${name} trade above ${money(value)} at any time before ${atB.hour.toLowerCase()} ${atB.zone} on ${atB.short}?`
              : `${name} price on ${atB.short} at ${atB.hour.toLowerCase()} ${atB.zone}?`,
            yes: `Above ${money(value)}`,
            rules: touch
              ? `If ${name} trades above ${money(value)} at any time between issuance and ${atB.hour} ${atB.zone} on ${atB.short}, then the market resolves to Yes.`
              : `If the price of ${name} is above ${money(value)} at ${atB.hour} ${atB.zone} on ${atB.short}, then the market resolves to Yes.`,
            strike: { type: 'greater', floor: value },
          }
        }),
      },
    }
  },
}

/** Up or down over one two-hour window. Venue B asks for up, or, flipped, for down. */
export const coinMoves: Family = {
  name: 'coinMoves',
  weight: 6,
  capacity: COINS.length,
  twists: ['different_date'],
  flips: true,
  cadence: () => everyMs(2 * HOUR, 0, 5 * MINUTE),
  topic: ({ subject, decideMs, twist, flip }) => {
    const [name, ticker] = COINS[subject]!
    const from = day(decideMs - 2 * HOUR)
    const at = day(decideMs)
    const fromB = twist === null ? from : day(decideMs - HOUR)
    const atB = twist === null ? at : day(decideMs + HOUR)
    const way = flip ? 'down' : 'up'
    return {
      category: 'crypto',
      tags: ['Crypto', 'Crypto Prices', 'Up or Down', name],
      shape: 'free',
      count: 1,
      a: {
        event: {
          title: `${name} Up or Down - ${from.monthDay}, ${from.hour}-${at.hour} ET`,
          rules: `This market will resolve to "Up" if the price of ${name} at ${at.hour} ET on ${at.long} is greater than its price at ${from.hour} ET on ${from.long}. Otherwise, this market will resolve to "Down".\n\nThe resolution source is the CF Benchmarks real time index of ${ticker}/USD.`,
        },
        markets: [
          {
            prop: 0,
            question: `${name} Up or Down - ${from.monthDay}, ${from.hour}-${at.hour} ET`,
            group: '',
            sides: ['Up', 'Down'],
          },
        ],
      },
      b: {
        events: [
          {
            series: `KX${ticker}2H`,
            suffix: `${atB.code}${atB.hourCode}`,
            title: `${name} ${way} from ${fromB.hour.toLowerCase()} to ${atB.hour.toLowerCase()} ${atB.zone} on ${atB.short}?`,
            sub: `${atB.short}, ${fromB.hour.toLowerCase()} to ${atB.hour.toLowerCase()} ${atB.zone}`,
            extra: 'The price is the CF Benchmarks real time index at the two instants.',
          },
        ],
        markets: [
          {
            event: 0,
            prop: twist === null ? 0 : 1,
            flip,
            code: flip ? 'DOWN' : 'UP',
            title: `Will the price of ${name} go ${way} from ${fromB.hour.toLowerCase()} to ${atB.hour.toLowerCase()} ${atB.zone} on ${atB.short}?`,
            yes: flip ? 'Price down' : 'Price up',
            rules: flip
              ? `If the price of ${name} at ${atB.hour} ${atB.zone} on ${atB.short} is at or below its price at ${fromB.hour} ${fromB.zone}, then the market resolves to Yes.`
              : `If the price of ${name} at ${atB.hour} ${atB.zone} on ${atB.short} is above its price at ${fromB.hour} ${fromB.zone}, then the market resolves to Yes.`,
            strike: { type: 'custom', custom: { Direction: way } },
          },
        ],
      },
    }
  },
}
