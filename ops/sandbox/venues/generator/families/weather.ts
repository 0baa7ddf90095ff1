import { DAY, HOUR } from '../../../../units.ts'
import { everyMs } from '../cadence.ts'
import { day } from '../calendar.ts'
import type { Family, StrikeB } from '../topic.ts'

/** City, code, the station that decides, another station of the same city, a usual high in °F. */
const CITIES: readonly (readonly [string, string, string, string, number])[] = [
  ['NYC', 'NY', 'Central Park', 'LaGuardia Airport', 46],
  ['Chicago', 'CHI', 'Midway Airport', "O'Hare Airport", 40],
  ['Los Angeles', 'LAX', 'Los Angeles Airport', 'Downtown', 68],
  ['Miami', 'MIA', 'Miami International Airport', 'Opa-locka', 78],
  ['Austin', 'AUS', 'Bergstrom Airport', 'Camp Mabry', 64],
  ['Denver', 'DEN', 'Denver International Airport', 'Centennial Airport', 47],
  ['Philadelphia', 'PHIL', 'Philadelphia International Airport', 'Northeast Airport', 47],
  ['Houston', 'HOU', 'Hobby Airport', 'Intercontinental Airport', 66],
  ['Dallas', 'DAL', 'Fort Worth Airport', 'Love Field', 59],
  ['Boston', 'BOS', 'Logan Airport', 'Blue Hill', 44],
  ['Seattle', 'SEA', 'Tacoma Airport', 'Boeing Field', 47],
  ['Atlanta', 'ATL', 'Hartsfield Airport', 'Peachtree Airport', 56],
  ['Phoenix', 'PHX', 'Sky Harbor Airport', 'Deer Valley', 68],
  ['Las Vegas', 'LV', 'Harry Reid Airport', 'North Las Vegas', 59],
  ['San Francisco', 'SFO', 'San Francisco Airport', 'Downtown', 58],
  ['Minneapolis', 'MIN', 'Saint Paul Airport', 'Flying Cloud', 31],
  ['Washington DC', 'DC', 'Reagan Airport', 'Dulles Airport', 49],
  ['New Orleans', 'NOLA', 'Louis Armstrong Airport', 'Lakefront Airport', 65],
  ['San Antonio', 'SATX', 'San Antonio Airport', 'Stinson Field', 66],
  ['Oklahoma City', 'OKC', 'Will Rogers Airport', 'Wiley Post', 52],
  ['London', 'LDN', 'Heathrow', 'London City Airport', 47],
  ['Paris', 'PAR', 'Orly', 'Montsouris', 46],
  ['Toronto', 'TOR', 'Pearson Airport', 'City Centre', 38],
  ['Tokyo', 'TYO', 'Haneda Airport', 'Kitanomaru Park', 55],
  ['Seoul', 'SEL', 'Incheon Airport', 'Songwol-dong', 41],
]

const BRACKETS = 6

/** Highest or lowest temperature of a day, in brackets of two degrees that leave no gap. */
export const temperatures: Family = {
  name: 'temperatures',
  weight: 8,
  capacity: CITIES.length * 2,
  twists: ['different_date', 'different_source', 'different_measure'],
  flips: false,
  cadence: () => everyMs(2 * DAY, 10 * HOUR, 2 * HOUR),
  topic: ({ subject, dice, decideMs, twist }) => {
    const [city, code, station, other, usual] = CITIES[subject % CITIES.length]!
    const low = subject >= CITIES.length
    const at = day(decideMs - DAY)
    const atB = twist === 'different_date' ? day(decideMs) : at
    const average = twist === 'different_measure'
    const stationB = twist === 'different_source' ? other : station
    const floor = usual - (low ? 18 : 4) + dice.int('floor', 7) - 3
    const offset = twist === null ? 0 : BRACKETS
    const word = low ? 'Lowest' : 'Highest'
    const wordB = average ? 'Average' : word
    const shortB = average ? 'average' : low ? 'minimum' : 'high'
    const brackets = Array.from({ length: BRACKETS }, (_, i) => {
      const from = floor + 2 * i
      const first = i === 0
      const last = i === BRACKETS - 1
      return {
        group: first ? `${from + 1}°F or below` : last ? `${from}°F or higher` : `${from}-${from + 1}°F`,
        says: first ? `${from + 1}° or below` : last ? `${from}° or above` : `${from}° to ${from + 1}°`,
        asks: first
          ? `be ${from + 1}°F or below`
          : last
            ? `be ${from}°F or higher`
            : `be between ${from}-${from + 1}°F`,
        code: first ? `T${from + 2}` : last ? `T${from - 1}` : `B${from + 0.5}`,
        strike: (first
          ? { type: 'less', cap: from + 2 }
          : last
            ? { type: 'greater', floor: from - 1 }
            : { type: 'between', floor: from, cap: from + 1 }) satisfies StrikeB as StrikeB,
      }
    })
    const kind = `${word.toLowerCase()} temperature`
    return {
      category: 'weather',
      tags: ['Weather', 'Daily Temperature', city],
      shape: 'softmax',
      count: BRACKETS,
      a: {
        event: {
          title: `${word} temperature in ${city} on ${at.monthDay}?`,
          exclusive: true,
          rules: `This market will resolve to the temperature range that contains the ${kind} recorded at the ${station} station in ${city} in degrees Fahrenheit on ${at.long}.\n\nThe resolution source is the daily climate report of the national weather service for that station, in whole degrees. Revisions after the report is final will not be considered.`,
        },
        markets: brackets.map(({ group, asks }, prop) => ({
          prop,
          question: `Will the ${kind} in ${city} ${asks} on ${at.monthDay}?`,
          group,
        })),
      },
      b: {
        events: [
          {
            series: `KX${average ? 'AVG' : ''}${low ? 'LOW' : 'HIGH'}${code}${twist === 'different_source' ? 'X' : ''}`,
            suffix: atB.code,
            title: `${wordB} temperature in ${city} on ${atB.short}?`,
            sub: `On ${atB.short}`,
            exclusive: true,
            extra:
              'Not all weather data is the same: only the daily climate report of the named station counts, in whole degrees Fahrenheit, from midnight to midnight local standard time.',
          },
        ],
        markets: brackets.map(({ says, code: suffix, strike }, i) => ({
          event: 0,
          prop: offset + i,
          code: suffix,
          title: `Will the ${shortB} temp in ${city} be ${says} on ${atB.short}?`,
          yes: says,
          rules: `If the ${wordB.toLowerCase()} temperature recorded at ${stationB}, ${city} for ${atB.short} as reported by the daily climate report is ${says}, then the market resolves to Yes.`,
          strike,
        })),
      },
    }
  },
}

/** Rain or snow on one day. Flipped, venue B asks whether it stays dry. */
export const precipitation: Family = {
  name: 'precipitation',
  weight: 4,
  capacity: CITIES.length,
  twists: ['different_date', 'different_measure', 'different_source'],
  flips: true,
  cadence: (_, dice) => everyMs(2 * DAY, DAY + 10 * HOUR + dice.int('day', 2) * DAY, 2 * HOUR),
  topic: ({ subject, decideMs, twist, flip }) => {
    const [city, code, station, other] = CITIES[subject]!
    const at = day(decideMs - DAY)
    const atB = twist === 'different_date' ? day(decideMs) : at
    const stationB = twist === 'different_source' ? other : station
    const snow = twist === 'different_measure'
    const asks = snow
      ? `Will it snow in ${city} on ${atB.short}?`
      : flip
        ? `Will ${city} stay without rain on ${atB.short}?`
        : `Will it rain in ${city} on ${atB.short}?`
    const rule = snow
      ? 'snowfall is greater than 0.0 inches'
      : flip
        ? 'precipitation is exactly 0.00 inches or a trace'
        : 'precipitation is greater than 0.00 inches'
    return {
      category: 'weather',
      tags: ['Weather', 'Precipitation', city],
      shape: 'free',
      count: 1,
      a: {
        event: {
          title: `Rain in ${city} on ${at.monthDay}?`,
          rules: `This market will resolve to "Yes" if the precipitation recorded at the ${station} station in ${city} on ${at.long} is greater than 0.00 inches. Otherwise, this market will resolve to "No".\n\nA trace does not count as precipitation. The resolution source is the daily climate report of the national weather service.`,
        },
        markets: [
          {
            prop: 0,
            question: `Will it rain in ${city} on ${at.monthDay}, ${at.year}?`,
            group: '',
          },
        ],
      },
      b: {
        events: [
          {
            series: `KX${snow ? 'SNOW' : flip ? 'DRY' : 'RAIN'}${code}${twist === 'different_source' ? 'X' : ''}`,
            suffix: atB.code,
            title: asks,
            sub: `On ${atB.short}`,
            extra: 'A trace does not count. Only the daily climate report of the named station counts.',
          },
        ],
        markets: [
          {
            event: 0,
            prop: twist === null ? 0 : 1,
            flip,
            code: 'T0',
            title: asks,
            yes: snow ? 'Snow' : flip ? 'No rain' : 'Rain',
            rules: `If the ${rule} at ${stationB}, ${city} on ${atB.short}, then the market resolves to Yes.`,
            strike: flip && !snow ? { type: 'less_or_equal', cap: 0 } : { type: 'greater', floor: 0 },
          },
        ],
      },
    }
  },
}
