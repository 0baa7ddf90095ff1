import type { Routes } from '../http/answer.ts'
import type { WorldB } from '../world.ts'
import { bookRoutes } from './books.ts'
import { eventRoutes } from './events.ts'
import { marketRoutes } from './markets.ts'
import { badRequest, notFound } from './problem.ts'
import { seriesRoutes } from './series.ts'

export const PREFIX_B = '/trade-api/v2'

/** Everything venue B answers, below its prefix. */
export function routesB(world: WorldB): Routes {
  const routes = [bookRoutes(world), marketRoutes(world), eventRoutes(world), seriesRoutes(world)]
  return (ask) => {
    if (!ask.path.startsWith(`${PREFIX_B}/`)) return notFound()
    if (ask.method !== 'GET') return badRequest('GET only')
    const below = { ...ask, path: ask.path.slice(PREFIX_B.length) }
    for (const route of routes) {
      const answer = route(below)
      if (answer !== null) return answer
    }
    return notFound()
  }
}
