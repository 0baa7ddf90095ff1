import { type BoardName, type Boards, holdBoard } from '../../boards.ts'
import type { GoodPorts } from '../../goods/good.ts'
import { CARD_PACK_SIZE } from '../../goods/market/botFuelPack.ts'
import { runNow } from '../../steps.ts'
import type { Facts } from '../../storefront/facts.ts'
import { BOOK_ROW, CARD, EXAMPLE_MS, MOVER, NET } from './rows.ts'

const FIVE = Array.from({ length: CARD_PACK_SIZE }, () => CARD)
const BODIES = {
  gaps: { rows: [CARD], markets: { a: 1, b: 1 }, pairs: 1, refused: {} },
  nets: { rows: [NET] },
  edges: { rows: FIVE },
  gapCards: { cards: FIVE, unqualified: {} },
  movers: { hour: [], day: [MOVER], week: [], dropped: {} },
  book: { a: [BOOK_ROW], b: [] },
} satisfies { [Name in BoardName]?: unknown }

/** The state of the world in which examples are computed: what real answers read, with one made-up question in it. */
export function examplePorts({
  marketMaxAgeMs,
  recorded,
}: Pick<Facts, 'marketMaxAgeMs' | 'recorded'>): GoodPorts {
  const boards: Boards = {}
  for (const [name, body] of Object.entries(BODIES)) {
    const snapshot = {
      name,
      body,
      version: 4_711,
      fence: 1,
      hash: '0'.repeat(64),
      publishedMs: EXAMPLE_MS,
      asOfMs: { a: EXAMPLE_MS - 900, b: EXAMPLE_MS - 1_400 },
    }
    Object.assign(boards, { [name]: runNow(holdBoard(name as BoardName, snapshot)) })
  }
  const none = async () => ({ problem: 'busy' as const })
  return {
    boards,
    marketClock: { nowMs: () => EXAMPLE_MS },
    marketMaxAgeMs,
    recorded,
    lookUp: none,
    compute: none,
  }
}
