import type { LiveBoard, LiveSection } from '../../live/liveBoard.ts'
import type { Html } from '../html.ts'
import { figures } from './figures.ts'
import { gaps } from './gaps.ts'
import { goods } from './goods.ts'
import { movers } from './movers.ts'
import { refused } from './refused.ts'
import { selling } from './selling.ts'
import { ticker } from './ticker.ts'
import { venues } from './venues.ts'

export type Region = {
  needs: readonly LiveSection[] // the sections of the board it is made of
  render(board: LiveBoard): Html
}

/**
 * The parts of the page that change, by the id of their element. The server renders them once, the browser again
 * when a section they need is news: one template for both.
 */
export const REGIONS = {
  selling: { needs: ['selling', 'service', 'clock'], render: selling },
  venues: { needs: ['venues', 'clock'], render: venues },
  figures: { needs: ['counts', 'service', 'selling'], render: figures },
  gaps: { needs: ['gaps'], render: gaps },
  movers: { needs: ['movers'], render: movers },
  refused: { needs: ['refused'], render: refused },
  ticker: { needs: ['ticker'], render: ticker },
  goods: { needs: ['service'], render: goods },
} as const satisfies Record<string, Region>

export type RegionId = keyof typeof REGIONS
