import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import { describeError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { MINUTE, SECOND } from '../../units.ts'
import { chooseEncoding, commonHeaders, removeFile, sendAnswer, sendError } from './answer.ts'
import { authenticate } from './auth.ts'
import { openBody, readText } from './body.ts'
import type { Engine } from './engine.ts'
import { QueryError, refuse } from './errors.ts'
import type { Executor } from './execute.ts'
import { isOn, readForm, readHttpQuery } from './request.ts'
import type { Passwords } from './users.ts'

/** ClickHouse's HTTP interface. Routes, methods and headers here; what a query may do is decided elsewhere. */
export function createClickhouseServer({
  engine,
  executor,
  passwords,
  maxBodyBytes,
  log,
}: {
  engine: Engine
  executor: Executor
  passwords: Passwords
  maxBodyBytes: number //  after decompression
  log: Log
}): Server {
  async function answerQuery(request: IncomingMessage, response: ServerResponse, params: URLSearchParams) {
    const body = openBody(request, maxBodyBytes)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let headers: OutgoingHttpHeaders = commonHeaders(engine, params.get('query_id') ?? '')
    const closing = () => (server.listening ? {} : { Connection: 'close' })
    try {
      const user = authenticate(request.headers, params, passwords)
      if (user instanceof QueryError) throw user
      const contentType = request.headers['content-type'] ?? ''
      if (contentType.startsWith('multipart/form-data')) await readForm(contentType, body, params)
      const query = readHttpQuery(request, params)
      headers = commonHeaders(engine, query.queryId)
      const text = await readText(params.get('query') ?? '', body)
      const readOnlyMethod = request.method !== 'POST'
      const answer = await executor.execute({ user, query, text, body, readOnlyMethod, gone: gone.signal })
      const encoding = isOn(params.get('enable_http_compression'))
        ? chooseEncoding(request.headers['accept-encoding'])
        : null
      try {
        await sendAnswer(response, answer, { ...headers, ...closing() }, encoding)
      } finally {
        if (answer.file !== null) await removeFile(answer.file)
      }
    } catch (error) {
      if (gone.signal.aborted || response.headersSent) return void response.destroy()
      if (!(error instanceof QueryError)) log.error({ reason: describeError(error) }, 'query failed')
      const known = error instanceof QueryError ? error : refuse('UNKNOWN_EXCEPTION', 'Internal error.')
      const drained = await body.discard()
      sendError(response, known, engine.version, {
        ...headers,
        ...(drained ? closing() : { Connection: 'close' }),
      })
    }
  }

  const server = createServer(
    { maxHeaderSize: 1024 * 1024, keepAliveTimeout: 30 * SECOND },
    (request, response) => {
      const route = findRoute(request)
      if (route.kind === 'plain') return plain(response, route.status, route.text)
      answerQuery(request, response, route.params).catch((error) => {
        log.error({ reason: describeError(error) }, 'answer failed')
        response.destroy()
      })
    },
  )
  server.requestTimeout = 10 * MINUTE
  server.maxConnections = 1_024
  return server
}

type Route = { kind: 'plain'; status: number; text: string } | { kind: 'query'; params: URLSearchParams }

/** What a request is for, by method and path. */
function findRoute({ method = 'GET', url = '', headers }: IncomingMessage): Route {
  const say = (status: number, text: string): Route => ({ kind: 'plain', status, text })
  if (method === 'OPTIONS') return say(204, '')
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST')
    return say(501, `Method ${method} is not supported\n`)
  if (!URL.canParse(url, 'http://localhost')) return say(400, 'Bad request\n')
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const reads = method !== 'POST'
  if (reads && (pathname === '/ping' || pathname === '/replicas_status')) return say(200, 'Ok.\n')
  if (pathname !== '/')
    return say(
      404,
      `There is no handle ${encodeURI(pathname).slice(0, 256)}\n\nUse / or /ping for health checks.\nSend queries with POST, or with GET /?query=...\n`,
    )
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (reads && !searchParams.has('query') && !hasBody) return say(200, 'Ok.\n')
  return { kind: 'query', params: searchParams }
}

function plain(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/html; charset=UTF-8',
      ...(status === 204
        ? { Allow: 'GET, HEAD, POST, OPTIONS' }
        : { 'Content-Length': Buffer.byteLength(text) }),
    })
    .end(text)
}
