import { json, type Routes } from '../http/answer.ts'
import type { WorldA } from '../world.ts'
import { catalogRoutes } from './catalog.ts'
import { clobRoutes } from './clob.ts'

/** Everything venue A answers: catalogue and order books on one port, so both base URLs may name it. */
export function routesA(world: WorldA): Routes {
  const catalog = catalogRoutes(world)
  const clob = clobRoutes(world)
  return (ask) => {
    const answer = clob(ask) ?? catalog(ask)
    if (answer === null) return json({ type: 'not found error', error: 'unknown path' }, 404)
    if (ask.method !== 'GET' && ask.path !== '/books')
      return json({ type: 'validation error', error: 'GET only' }, 405)
    return answer
  }
}
