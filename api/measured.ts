import type { Metrics } from '../ops/metrics.ts'
import type { Handler, Reply } from './http/exchange.ts'
import type { Route } from './http/router.ts'

/** Paths that are no route. */
const OTHER = 'other'
const LATENCY_BUCKETS_S = [0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30]

/** Counts answers by route and status; labels are the route table's, never a caller's path (OPS-09). */
export function measured(handler: Handler, routes: readonly Route[], metrics: Metrics): Handler {
  const known = new Set(routes.map(({ path }) => path))
  const answers = metrics.counter('http_answers_total', 'Answers by route and status', ['route', 'status'])
  const seconds = metrics.histogram(
    'http_paid_seconds',
    'Time to a paid or refused answer',
    LATENCY_BUCKETS_S,
  )
  type Counts = Record<number, { inc(): void }>
  const byRoute = new Map<string, Counts>([...known, OTHER].map((route) => [route, {}]))
  const note = (asked: string, reply: Reply) => {
    const path = known.has(asked) ? asked : `${asked.slice(0, asked.lastIndexOf('/'))}/*`
    const route = known.has(path) ? path : OTHER
    const counts = byRoute.get(route)!
    counts[reply.status] ??= answers.labels({ route, status: String(reply.status) })
    counts[reply.status]!.inc()
    return reply
  }
  return (request) => {
    const { path } = request
    const reply = handler(request)
    if (!(reply instanceof Promise)) return note(path, reply)
    const startMs = performance.now()
    return reply.then((done) => {
      seconds.observe((performance.now() - startMs) / 1000)
      return note(path, done)
    })
  }
}
