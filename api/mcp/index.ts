import { describeError } from '../../ops/errors.ts'
import { loadedOnce } from '../../ops/loadedOnce.ts'
import type { Log } from '../../ops/log.ts'
import type { Handler, Reply } from '../http/exchange.ts'
import { limited } from '../http/limited.ts'
import { RATE_LIMITS } from '../http/limits.ts'
import { penaltiesOf } from '../http/penalties.ts'
import type { RateLimit } from '../http/rateLimit.ts'
import { NO_STORE, problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { refuseTwice } from '../http/sentTwice.ts'
import type { Facts } from '../storefront/facts.ts'
import { PLACES } from '../storefront/places.ts'
import { INTERFACE_VERSION, SERVICE_NAME, SERVICE_SLUG } from '../storefront/service.ts'
import { bringsPayment, type Caller, callerOf, requestOf, STANDING } from './call.ts'
import { RPC_ERROR } from './codes.ts'
import { FREE_TOOLS } from './freeTools.ts'
import { instructionsOf } from './instructions.ts'
import { failed, readMessage } from './message.ts'
import { createOriginCheck } from './origins.ts'
import { paidTool } from './paidTools.ts'
import { resultOf } from './result.ts'
import type { Arguments, Tool } from './tool.ts'

/** Statuses of a call whose payment bought nothing. Each such call costs us a message to read. */
const REFUSED: ReadonlySet<number> = new Set([400, 402, 403, 409, 410, 429])
const refusalsOf = penaltiesOf(RATE_LIMITS.refused)

/** Headers of the connection that say who calls, and what pays for its calls. */
const READ_ONCE = ['x-agent-id', ...STANDING] as const

/** The status of the GET that a message stood for; 400 where it stood for none. */
type Told = { status: number }

export type McpPorts = {
  facts: Pick<Facts, 'goods' | 'terms' | 'publicUrl'>
  origins: string //        MCP_ORIGINS
  serve: Handler //         every other route of this service, behind its gate
  isServed(path: string): boolean // asked at the first call
  rate: RateLimit
  log: Log
}

/**
 * The MCP server (streamable HTTP, JSON answers, no sessions): every call stands alone, so any process answers it. A
 * tool call becomes the HTTP request it stands for, so that price, payment, refusals and receipts are those of HTTP.
 * Cost: one protocol object of the SDK per message.
 */
export function mcpRoute({ facts, origins, serve, isServed, rate, log }: McpPorts): Route {
  const { terms, publicUrl, goods } = facts
  const url = `${publicUrl}${PLACES.mcp.path}`
  const all = [...goods.map((good) => paidTool(good, terms.network)), ...FREE_TOOLS]
  let byName: ReadonlyMap<string, Tool> | null = null
  const tools = () => {
    byName ??= new Map(all.filter(({ path }) => isServed(path)).map((tool) => [tool.listed.name, tool]))
    return byName
  }
  const about = { name: SERVICE_SLUG, title: SERVICE_NAME, version: INTERFACE_VERSION }
  const protocol = loadedOnce(async () => {
    const { createProtocol } = await import('./protocol.ts')
    return createProtocol({ about, instructions: instructionsOf(terms), url, tools })
  })

  const refusals = refusalsOf(facts)

  const call = async (tool: Tool, args: Arguments, meta: Arguments, caller: Caller, told: Told) => {
    const request = requestOf(tool, args, meta, caller)
    if (typeof request === 'string')
      return resultOf(tool, problemReply({ problem: 'invalid_parameter', detail: request }), url)
    try {
      const reply = await serve(request)
      told.status = reply.status
      return resultOf(tool, reply, url)
    } catch (error) {
      log.error({ tool: tool.listed.name, reason: describeError(error) }, 'tool failed')
      return resultOf(tool, problemReply({ problem: 'internal' }), url)
    }
  }

  const answer = async (json: object, version: string, caller: Caller, told: Told): Promise<Reply> => {
    const respond = await protocol()
    const response = await respond({
      json,
      version,
      call: (tool, args, meta) => call(tool, args, meta, caller, told),
    })
    return replyOf(response)
  }

  const isAllowed = createOriginCheck(publicUrl, origins)
  return {
    method: 'POST',
    path: PLACES.mcp.path,
    limit: 'own',
    async handler(request) {
      if (!isAllowed(request.header('origin')))
        return failed(403, RPC_ERROR.forbidden, 'this origin may not call')
      if (!isJson(request.header('content-type')))
        return failed(415, RPC_ERROR.forbidden, 'send application/json')
      const twice = refuseTwice(request, READ_ONCE)
      if (twice !== null) return failed(400, RPC_ERROR.invalidRequest, twice.detail)
      const version = request.header('mcp-protocol-version')
      const caller = callerOf(request)
      const left = rate.take(request)
      const message = await readMessage(request)
      //  the payment is inside the message: until that is read nobody can be refused
      const mayPay = left < 0 && refusals.waitS(caller.address) === 0
      const isFree = mayPay && 'json' in message && bringsPayment(message.json, tools(), caller)
      const within = limited({ limit: rate.limit, take: () => (isFree ? 0 : left) }, async () => {
        if ('status' in message) return message
        const told: Told = { status: 400 }
        const reply = await answer(message.json, version, caller, told)
        //  beyond the limit only paying calls are let through; a caller whose payments buy nothing loses that right
        if (isFree && REFUSED.has(told.status)) refusals.count(caller.address)
        return reply
      })
      return within(request)
    },
  }
}

const isJson = (type: string): boolean => /^application\/json\s*(;|$)/i.test(type)

async function replyOf(response: Response): Promise<Reply> {
  const type = response.headers.get('content-type')
  return {
    status: response.status,
    headers: [...(type === null ? [] : [['content-type', type] as const]), NO_STORE],
    body: await response.text(),
  }
}
