import type { Clock } from '../../clock.ts'
import { routesA } from './a/routes.ts'
import { PREFIX_B, routesB } from './b/routes.ts'
import { type Faults, faultRules } from './faults/rules.ts'
import { controlRoutes } from './http/control.ts'
import { serveVenue, type VenueServer } from './http/server.ts'
import type { World } from './world.ts'

export type Venues = {
  /** Catalogue and order books of venue A: both base URLs of a client. */
  aUrl: string
  /** Venue B with its prefix, as a client's base URL. */
  bUrl: string
  faults: Faults
  /** Requests so far, control paths included. */
  requests(): { a: number; b: number }
  close(): Promise<void>
}

/** Serves both venues of a world on one host. Port 0 takes a free one. */
export async function serveVenues({
  world,
  clock,
  host = '127.0.0.1',
  portA = 0,
  portB = 0,
}: {
  world: World
  clock: Clock
  host?: string
  portA?: number
  portB?: number
}): Promise<Venues> {
  const faults = faultRules()
  const servers: { a?: VenueServer; b?: VenueServer } = {}
  const requests = () => ({ a: servers.a?.requests() ?? 0, b: servers.b?.requests() ?? 0 })
  const control = controlRoutes({ world, clock, faults, requests })
  const shared = { host, clock, faults, control }
  const a = await serveVenue({ ...shared, venue: 'a', port: portA, routes: routesA(world.a) })
  servers.a = a
  try {
    servers.b = await serveVenue({ ...shared, venue: 'b', port: portB, routes: routesB(world.b) })
  } catch (error) {
    await a.close()
    throw error
  }
  const b = servers.b
  return {
    aUrl: a.url,
    bUrl: `${b.url}${PREFIX_B}`,
    faults,
    requests,
    close: async () => {
      await Promise.all([a.close(), b.close()])
    },
  }
}
