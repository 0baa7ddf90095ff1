import type { Venue } from '../../../ingest/contract/market.ts'
import { createVenueA } from '../../../ingest/venues/a/client.ts'
import { createVenueB } from '../../../ingest/venues/b/client.ts'
import type { VenuePort } from '../../../ingest/venues/venue.ts'
import type { HttpClient } from '../../../ops/http.ts'

const FAST = { perSecond: 10_000, burst: 10_000 }

/** Where the sandbox lists the events of each venue. */
export const CATALOG: Record<Venue, string> = { a: '/events/keyset', b: '/trade-api/v2/events' }

/** A new reader of each venue of the sandbox, held up by no limit of ours. */
export function venuePorts(
  http: HttpClient,
  { aUrl, bUrl }: { aUrl: string; bUrl: string },
): Record<Venue, () => VenuePort> {
  return {
    a: () => createVenueA({ http, catalogUrl: aUrl, bookUrl: aUrl, limits: { catalog: FAST, books: FAST } }),
    b: () => createVenueB({ http, url: bUrl, limit: FAST }),
  }
}
