import { type Contender, startProcess } from './contender.ts'
import type { PaymentTerms } from './payments.ts'

type Later = (end: () => unknown) => void

/** Facilitator and chain node that answer at once, on the core that is not measured. */
export async function startInstantWorld(later: Later): Promise<{ facilitatorUrl: string; rpcUrl: string }> {
  const { port } = await startServer('test/bench/servers/instantWorld.ts', {}, false, later)
  return { facilitatorUrl: `http://127.0.0.1:${port}/facilitator`, rpcUrl: `http://127.0.0.1:${port}/rpc` }
}

/** One answer of a server, without the headers that a server adds by itself. */
export type Reply = { status: string; headers: [string, string][]; body: string }

const ADDED_BY_SERVER = new Set(['content-length', 'date', 'uwebsockets', 'connection', 'keep-alive'])

export async function recordReply(url: string, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, { headers })
  const kept = [...response.headers].filter(([name]) => !ADDED_BY_SERVER.has(name))
  return { status: `${response.status} ${response.statusText}`, headers: kept, body: await response.text() }
}

export async function startBare(reply: Reply, later: Later): Promise<Contender> {
  const env = { REPLY: JSON.stringify(reply) }
  const server = await startServer('test/bench/servers/bare.ts', env, true, later)
  return { name: 'bare uWebSockets.js, same bytes', ...server }
}

export async function startHono(
  sale: { path: string; body: string; description: string; facilitatorUrl: string; offer: PaymentTerms },
  later: Later,
): Promise<Contender> {
  const env = { SALE: JSON.stringify({ ...sale, maxTimeoutSeconds: sale.offer.maxTimeoutSeconds }) }
  const server = await startServer('test/bench/servers/hono.ts', env, true, later)
  return { name: 'x402 reference middleware on Hono', ...server }
}

async function startServer(
  main: string,
  env: Record<string, string>,
  measured: boolean,
  later: Later,
): Promise<Omit<Contender, 'name'>> {
  const running = startProcess(main, { env, measured })
  later(() => running.stop())
  const [, port] = await running.says(/port (\d+)\n/)
  return { port: Number(port), pid: running.pid, stop: () => running.stop() }
}
