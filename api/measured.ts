import type { Metrics } from '../ops/metrics.ts'
import { ClientGone, type Handler, type Reply } from './http/exchange.ts'
import type { Route } from './http/router.ts'

/** Label of all paths that are not in the route table. */
const OTHER = 'other'
/** Status of a handler that throws. An alert watches it, so every route has this counter from the start. */
const FAULT = 500
const LATENCY_BUCKETS_S = [0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30]

/** Counts answers by route and status; labels are the route table's, never a caller's path (OPS-09). */
export function measured(handler: Handler, routes: readonly Route[], metrics: Metrics): Handler {
  const answers = metrics.counter('http_answers_total', 'Answers by route and status', ['route', 'status'])
  const seconds = metrics.histogram(
    'http_paid_seconds',
    'Time to a paid or refused answer',
    LATENCY_BUCKETS_S,
  )
  //  counted in plain numbers, one addition per answer; added to the metric only when it is read
  type Counts = Record<number, number>
  const byRoute = new Map<string, Counts>(
    [...routes.map(({ path }) => path), OTHER].map((route) => [route, { [FAULT]: 0 }]),
  )
  const collect = () => {
    for (const [route, counts] of byRoute) {
      for (const [status, count] of Object.entries(counts)) answers.inc({ route, status }, count)
      byRoute.set(route, {})
    }
  }
  Object.assign(answers, { collect }) // called before its value is read
  const note = (asked: string, status: number) => {
    const counts =
      byRoute.get(asked) ?? byRoute.get(`${asked.slice(0, asked.lastIndexOf('/'))}/*`) ?? byRoute.get(OTHER)!
    counts[status] = (counts[status] ?? 0) + 1
  }
  const noted = (asked: string, reply: Reply) => {
    note(asked, reply.status)
    return reply
  }
  const failed = (asked: string, error: unknown): never => {
    if (!(error instanceof ClientGone)) note(asked, FAULT)
    throw error
  }
  return (request) => {
    const { path } = request
    let reply: ReturnType<Handler>
    try {
      reply = handler(request)
    } catch (error) {
      return failed(path, error)
    }
    if (!(reply instanceof Promise)) return noted(path, reply)
    const startMs = performance.now()
    return reply.then(
      (done) => {
        seconds.observe((performance.now() - startMs) / 1000)
        return noted(path, done)
      },
      (error) => failed(path, error),
    )
  }
}
