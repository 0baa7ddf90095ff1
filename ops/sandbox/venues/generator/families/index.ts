import type { Family } from '../topic.ts'
import { awards } from './awards.ts'
import { bills } from './bills.ts'
import { champions } from './champions.ts'
import { coinLadders, coinMoves } from './coins.ts'
import { listings } from './companies.ts'
import { departures } from './departures.ts'
import { elections } from './elections.ts'
import { openings, scores } from './films.ts'
import { games, matches } from './games.ts'
import { prints } from './prints.ts'
import { rates } from './rates.ts'
import { tennis } from './tennis.ts'
import { precipitation, temperatures } from './weather.ts'

/** Every kind of question the generator knows. The order is part of a world: append only. */
export const FAMILIES: readonly Family[] = [
  rates,
  games,
  elections,
  coinLadders,
  temperatures,
  openings,
  prints,
  departures,
  bills,
  coinMoves,
  matches,
  scores,
  listings,
  precipitation,
  awards,
  tennis,
  champions,
]

/** One market a side, many subjects: fills a world up to its exact size. */
export const FILLER: Family = bills
