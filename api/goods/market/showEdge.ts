import type { EdgeRow, SizedEdge } from '../../../engine/contract/edges.ts'
import { averageDollars, dollars, iso, showLegs, showMatch } from './show.ts'

/** What a trade of the pair leaves after the published taker fees of both venues, and what speaks against it. */
export const showEdge = (row: EdgeRow) => ({
  edgeCents: row.edgeCents,
  netCents: row.netCents,
  feeCents: row.feeCents,
  feeTableVersion: row.feeTableVersion,
  feesGuessed: row.feesGuessed,
  executable: row.executable,
  buyVenue: row.buyVenue,
  sellVenue: row.sellVenue,
  buySide: row.buySide,
  sellSide: row.sellSide,
  buyPrice: dollars(row.buyBps),
  sellPrice: dollars(row.sellBps),
  bySize: row.bySize?.map(showSize) ?? null,
  depthSeenAt: row.depthSeenMs === null ? null : iso(row.depthSeenMs),
  lockUpDays: row.lockUpDays,
  annualisedPct: row.annualisedPct,
})

/** One edge as `edge` and `edge-pack` sell it: topic, size in cents, link (spec 2.2). */
export const showEdgeRow = (row: EdgeRow) => ({
  topic: row.topic,
  ...showEdge(row),
  gapCents: row.gapCents,
  riskFlags: row.riskFlags,
  suggestedAction: row.suggestedAction,
  link: row[row.buyVenue].url, //  where the buying starts
  ...showMatch(row),
  ...showLegs(row),
})

const showSize = ({ averageBuyBps, averageSellBps, ...size }: SizedEdge) => ({
  ...size,
  averageBuyPrice: averageDollars(averageBuyBps),
  averageSellPrice: averageDollars(averageSellBps),
})
