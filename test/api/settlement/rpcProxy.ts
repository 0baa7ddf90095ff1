import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = { status: number; body: string }
/** What a proxy does with a call: 'pass' it on, 'lose' the answer after passing it on, 'cut' the connection, or answer itself. */
export type Treatment = 'pass' | 'lose' | 'cut' | Answer
export type RpcCall = { method: string; params: unknown[] }

export type RpcProxy = {
  url: string
  count(method?: string): number
  /** Sets the treatment of calls from now on. */
  treat(treatment: (call: RpcCall) => Treatment | Promise<Treatment>): void
  close(): Promise<void>
}

/** Stands between us and a real node, and misbehaves on demand. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const counts = new Map<string, number>()
  let treat: (call: RpcCall) => Treatment | Promise<Treatment> = () => 'pass'
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const call = JSON.parse(body) as RpcCall
    counts.set(call.method, (counts.get(call.method) ?? 0) + 1)
    const treatment = await treat(call)
    if (treatment === 'cut') return response.destroy()
    if (typeof treatment === 'object')
      return response.writeHead(treatment.status, { 'content-type': 'application/json' }).end(treatment.body)
    const answer = await fetch(target, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    const text = await answer.text()
    if (treatment === 'lose') return response.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (method) =>
      method === undefined ? [...counts.values()].reduce((sum, n) => sum + n, 0) : (counts.get(method) ?? 0),
    treat: (treatment) => {
      treat = treatment
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

export const rpcError = (code: number, message: string): Answer => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }),
})
