import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from './metrics.ts'

/** One thing readiness depends on: null when fine, else what is wrong and what to do. */
export type Check = { name: string; problem(): string | null | Promise<string | null> }

export type OperatorServer = { port: number; close(): Promise<void> }

/**
 * The operator's surface of one process, on its own port: `/healthz` (the loop turns), `/readyz`
 * (all checks pass; 503 with each problem otherwise), `/metrics` (Prometheus text).
 */
export async function serveOperator({
  host,
  port,
  metrics,
  checks,
}: {
  host: string
  port: number
  metrics: Metrics
  checks: Check[]
}): Promise<OperatorServer> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').split('?')[0]
    const json = (status: number, body: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify(body))
    try {
      if (request.method !== 'GET') return json(405, { ok: false, problem: 'GET only' })
      if (path === '/healthz') return json(200, { ok: true })
      if (path === '/metrics') {
        const text = await metrics.registry.metrics()
        return response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text)
      }
      if (path === '/readyz') {
        const results = await Promise.all(
          checks.map(async ({ name, problem }) => ({ name, problem: await problem() })),
        )
        const ok = results.every((result) => result.problem === null)
        return json(ok ? 200 : 503, { ok, checks: results })
      }
      return json(404, { ok: false, problem: 'try /healthz, /readyz or /metrics' })
    } catch {
      return json(500, { ok: false, problem: 'check failed' })
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
