import { createServer } from 'node:http'
import type { Queue } from 'bullmq'
import { describeError } from './errors.ts'
import { listen } from './listen.ts'
import { loadedOnce } from './loadedOnce.ts'
import type { Metrics } from './metrics.ts'
import { SECOND } from './units.ts'

/** One thing readiness depends on: null when fine, else what is wrong and what to do. */
export type Check = { name: string; problem(): string | null | Promise<string | null> }

/** A check that takes longer counts as a problem. Shorter than the timeout of those who ask /readyz. */
const PATIENCE_MS = 2 * SECOND

const QUEUES = '/queues'
const READS = new Set<string | undefined>(['GET', 'HEAD'])

export type OperatorServer = { port: number; close(): Promise<void> }

/**
 * The operator's surface of one process, on its own port: `/healthz` (the event loop runs), `/readyz`
 * (all checks pass; 503 with each problem otherwise), `/metrics` (Prometheus text, the same checks as `not_ready`),
 * `/queues` (bull-board, where there are queues). No request changes anything.
 */
export async function serveOperator({
  host,
  port,
  metrics,
  checks,
  queues = [],
}: {
  host: string
  port: number
  metrics: Metrics
  checks: Check[]
  queues?: readonly Queue[]
}): Promise<OperatorServer> {
  const board = loadedOnce(async () => {
    const { createQueueBoard } = await import('./queueBoard.ts')
    return createQueueBoard(queues, QUEUES)
  })
  const look = () =>
    Promise.all(checks.map(async ({ name, problem }) => ({ name, problem: await asked(problem) })))
  const names = checks.map(({ name }) => name)
  const notReady = metrics.gauge('not_ready', '1: this check of /readyz has a problem', { check: names })
  const collect = async () => {
    for (const { name, problem } of await look()) notReady.set({ check: name }, problem === null ? 0 : 1)
  }
  Object.assign(notReady, { collect }) // called before its value is read
  const server = createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '/').split('?')
    const json = (status: number, body: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify(body))
    try {
      if (!READS.has(request.method)) return json(405, { ok: false, problem: 'GET and HEAD only' })
      if (path === '/healthz') return json(200, { ok: true })
      if (path === '/metrics') {
        const text = await metrics.registry.metrics()
        return response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text)
      }
      if (path === '/readyz') {
        const results = await look()
        const ok = results.every((result) => result.problem === null)
        return json(ok ? 200 : 503, { ok, checks: results })
      }
      if (queues.length > 0 && (path === QUEUES || path.startsWith(`${QUEUES}/`)))
        return (await board())(request, response)
      return json(404, { ok: false, problem: 'try /healthz, /readyz or /metrics' })
    } catch {
      return json(500, { ok: false, problem: 'check failed' })
    }
  })
  return {
    port: await listen(server, host, port),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function asked(problem: Check['problem']): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, `no answer within ${PATIENCE_MS} ms`)
  })
  try {
    return await Promise.race([problem(), late])
  } catch (error) {
    return describeError(error)
  } finally {
    clearTimeout(timer)
  }
}
