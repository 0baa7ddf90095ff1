import { GOODS } from '../../../api/goods/index.ts'
import { type LiveInput, showLive } from '../../../api/live/showLive.ts'
import type { Snapshot } from '../../../engine/contract/snapshot.ts'
import { portsOver } from '../goods/support.ts'

/** The live board over these bodies, with no samples and no news but what is given. */
export const show = (
  bodies: Parameters<typeof portsOver>[0] = {},
  change: Partial<Snapshot> = {},
  more: Partial<LiveInput> = {},
) =>
  showLive({
    ports: portsOver(bodies, change),
    mode: 'sandbox',
    speed: 1,
    sold: GOODS,
    gapSamples: [],
    moverSamples: [],
    ticker: new Map(),
    ...more,
  })
