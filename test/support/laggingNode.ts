import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Call = { jsonrpc: string; id: number; method: string; params: unknown[] }
type Mined = { blockNumber: string } | null

/** A node of the same chain that is some blocks behind the newest, as after a failover or a load balancer (CHN-04). */
export async function startLaggingNode(rpcUrl: string) {
  let lag = 0
  const ask = async (call: Pick<Call, 'method' | 'params'>) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
    const headers = { 'content-type': 'application/json' }
    return (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as { result?: unknown }
  }
  const answer = async ({ method, params }: Call) => {
    const head = Number((await ask({ method: 'eth_blockNumber', params: [] })).result) - lag
    const known = (block: unknown) => (block === 'latest' ? `0x${head.toString(16)}` : block)
    const isAbove = (block: unknown) => Number(known(block)) > head
    if (method === 'eth_getBlockByNumber')
      return isAbove(params[0]) ? { result: null } : await ask({ method, params: [known(params[0]), false] })
    if (method === 'eth_call')
      return isAbove(params[1])
        ? { error: { code: -32000, message: 'header not found' } }
        : await ask({ method, params: [params[0], known(params[1])] })
    if (method === 'eth_getTransactionCount')
      return await ask({ method, params: [params[0], known(params[1])] })
    const found = await ask({ method, params })
    if (method === 'eth_getTransactionReceipt' && isAbove((found.result as Mined)?.blockNumber ?? '0x0'))
      return { result: null }
    if (method === 'eth_getLogs')
      return { result: (found.result as Mined[]).filter((log) => !isAbove(log?.blockNumber)) }
    return found
  }
  const server = createServer(async (request: IncomingMessage, response) => {
    const call = JSON.parse(await text(request)) as Call
    const reply = { jsonrpc: '2.0', id: call.id, ...(await answer(call)) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From now on. */
    lag(blocks: number) {
      lag = blocks
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
