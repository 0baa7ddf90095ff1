import { z } from 'zod'
import type { Clock } from '../../../clock.ts'
import { type Faults, Rule } from '../faults/rules.ts'
import type { World } from '../world.ts'
import { type Answer, json } from './answer.ts'
import type { Control } from './server.ts'

const Rules = z.union([Rule.transform((rule) => [rule]), z.array(Rule)])

/** Counts of what is open now; walks the whole world. */
function countOpen(world: World, nowMs: number) {
  const count = (venue: 'a' | 'b') => {
    let events = 0
    let markets = 0
    for (const event of world[venue].events(nowMs, null, 'current')) {
      const open = event.markets.filter((market) => market.open).length
      if (open > 0) events += 1
      markets += open
    }
    return { events, markets }
  }
  return { a: count('a'), b: count('b') }
}

/**
 * The sandbox's own paths, on both ports and outside of every fault:
 * GET state, GET truth, and faults: GET lists them with counts, POST adds one or several, DELETE clears all.
 */
export function controlRoutes({
  world,
  clock,
  faults,
  requests,
}: {
  world: World
  clock: Clock
  faults: Faults
  requests: () => { a: number; b: number }
}): Control {
  const addFaults = (body: string): Answer => {
    let given: unknown
    try {
      given = JSON.parse(body)
    } catch {
      return json({ problem: 'body: must be JSON' }, 400)
    }
    const parsed = Rules.safeParse(given)
    if (!parsed.success)
      return json(
        { problem: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) },
        400,
      )
    return json({ ids: parsed.data.map((rule) => faults.add(rule)) })
  }
  return ({ method, path, body }) => {
    const nowMs = clock.nowMs()
    if (path === '/__sandbox/state' && method === 'GET')
      return json({
        world: world.name,
        recorded: world.recorded,
        marketNowMs: nowMs,
        open: countOpen(world, nowMs),
        requests: requests(),
        faults: faults.list(),
      })
    if (path === '/__sandbox/truth' && method === 'GET') {
      const rows = world.truth(nowMs)
      return rows === null ? json({ problem: 'this world knows no truth' }, 404) : json({ atMs: nowMs, rows })
    }
    if (path === '/__sandbox/faults') {
      if (method === 'GET') return json({ faults: faults.list() })
      if (method === 'POST') return addFaults(body)
      if (method === 'DELETE') {
        faults.clear()
        return json({ faults: [] })
      }
    }
    return json({ problem: 'try /__sandbox/state, /__sandbox/truth or /__sandbox/faults' }, 404)
  }
}
