import { GAP_CARDS } from '../../engine/contract/gapCards.ts'
import { snapshotOf, someCard, someGap, someSnapshot } from '../support/boards.ts'
import type { Answer } from '../support/buyer.ts'
import type { Service } from '../support/service.ts'

const EVERY_MS = 1_500

/** What the gap is in each version of the board: an answer put together of two versions shows. */
const gapOf = (version: number): number => 2 + (version % 50)

/** Prices move on, so that data never turns stale and an answer that is given again differs from one that is made again. */
export async function keepPublishing({ publish }: Service) {
  let version = 1
  const move = async () => {
    version++
    const gapCents = gapOf(version)
    await publish(someSnapshot([someGap({ gapCents })], { version }))
    await publish(
      snapshotOf(GAP_CARDS, { cards: [someCard({ gapCents })], unqualified: {} }, Date.now(), { version }),
    )
  }
  await move()
  let moving = Promise.resolve()
  const timer = setInterval(() => {
    moving = moving.then(move)
  }, EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await moving
    },
  }
}

/** I17: an answer with prices is of one version of the board. */
export function judgeMarket(wrong: string[], result: Answer['json']): void {
  if (result?.spread === undefined) return
  const { spread, snapshot } = result
  if (spread.gapCents !== gapOf(snapshot.version))
    wrong.push(`I17 a gap of ${spread.gapCents} in version ${snapshot.version}`)
}
