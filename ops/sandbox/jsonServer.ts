import { createServer, type IncomingMessage } from 'node:http'
import { messageOf } from '../errors.ts'
import { listen } from '../listen.ts'
import { closeNow, readBody } from './httpServer.ts'

export type Ask = { method: string; path: string; query: URLSearchParams; json: unknown } // json: null without a body
export type Answer = { status: number; json: unknown } | { status: number; text: string }

export type JsonServer = { url: string; close(): Promise<void> }

const MAX_BODY_BYTES = 1024 * 1024

/** A small HTTP server for the sandbox's stand-ins. What `answer` throws is the caller's mistake: 400 with its words. */
export async function serveJson({
  host,
  port,
  answer,
}: {
  host: string
  port: number
  answer(ask: Ask): Answer | Promise<Answer>
}): Promise<JsonServer> {
  const server = createServer(async (request, response) => {
    const given = await handle(request, answer)
    const [type, body] =
      'text' in given ? ['text/plain', given.text] : ['application/json', JSON.stringify(given.json)]
    response.writeHead(given.status, { 'content-type': type }).end(body)
  })
  const bound = await listen(server, host, port)
  return { url: `http://${host}:${bound}`, close: () => closeNow(server) }
}

async function handle(
  request: IncomingMessage,
  answer: (ask: Ask) => Answer | Promise<Answer>,
): Promise<Answer> {
  const url = new URL(request.url ?? '/', 'http://sandbox.invalid')
  try {
    const body = await readBody(request, MAX_BODY_BYTES)
    if (body === null) return { status: 413, json: { error: 'body too large' } }
    return await answer({
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      json: body === '' ? null : JSON.parse(body),
    })
  } catch (error) {
    return { status: 400, json: { error: messageOf(error) } }
  }
}
