import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../../listen.ts'
import { closeNow, readBody } from '../httpServer.ts'
import { answerApi } from './api.ts'
import { createBook, DEEDS, type Deed, type Sale } from './book.ts'
import { createSender, eventOf } from './events.ts'
import { parseForm, textAt } from './form.ts'
import { payPage } from './page.ts'

/** Larger than anything our client sends. */
const BODY_MAX_BYTES = 64 * 1024
const PAY = '/c/pay/'

export type CardServer = {
  url: string
  port: number
  /** What a button of the page does. @returns false: not possible now. */
  act(sessionId: string, deed: Deed): boolean
  sales(): Sale[]
  /** How often its API was asked about a session, of the newest calls. */
  requests(sessionId: string): number
  /** Events are held back and dropped while false. */
  telling(on: boolean): void
  /** The next API call is done and its answer lost. */
  loseAnswer(): void
  /** While true the API answers 500, as a provider that is down. */
  failing(on: boolean): void
  close(): Promise<void>
}

/** Paths of API calls that are remembered. */
const MAX_ASKED = 1_000

/** The sandbox's card provider on one port: its API, and the page a person pays on. */
export async function serveCards({
  host,
  port,
  secretKey,
  webhookSecret,
  webhookUrl,
  kept = [],
  keep = () => {},
  nowS = () => Math.floor(Date.now() / 1_000),
}: {
  host: string
  port: number
  secretKey: string
  webhookSecret: string
  webhookUrl(): string //                     asked for every event; '': nobody is told
  kept?: readonly Sale[]
  keep?(sales: readonly Sale[]): void //      called after every change
  nowS?(): number
}): Promise<CardServer> {
  const book = createBook(kept, nowS)
  const sender = createSender(webhookUrl, webhookSecret, nowS)
  const state = { telling: true, failing: false, losing: false }
  const asked: string[] = []
  let base = ''

  const act = (sale: Sale, deed: Deed): boolean => {
    const type = book.act(sale, deed)
    if (type === null) return false
    keep(book.all())
    if (state.telling) sender.send(eventOf(type, sale, base, nowS()))
    return true
  }

  const callApi = (request: IncomingMessage, url: URL, body: string, response: ServerResponse) => {
    asked.push(url.pathname)
    if (asked.length > MAX_ASKED) asked.shift()
    if (state.failing) return json(response, 500, { error: { type: 'api_error', message: 'down' } })
    if (request.headers.authorization !== `Bearer ${secretKey}`)
      return json(response, 401, { error: { type: 'invalid_request_error', message: 'Invalid API Key' } })
    const method = request.method ?? 'GET'
    const key = request.headers['idempotency-key']
    const idempotencyKey = typeof key === 'string' ? key : null
    const call = { method, path: url.pathname, query: url.searchParams, body, idempotencyKey }
    const answer = answerApi(call, book, base, nowS())
    if (method === 'POST' && answer.status === 200) keep(book.all())
    if (state.losing) {
      state.losing = false
      response.destroy()
    } else json(response, answer.status, answer.body)
  }

  const pressButton = (sale: Sale, form: string, response: ServerResponse) => {
    const deed = DEEDS.find((name) => name === textAt(parseForm(form), 'deed'))
    const isDone = deed !== undefined && act(sale, deed)
    const location = isDone && deed === 'pay' ? sale.successUrl : `${PAY}${sale.id}`
    response.writeHead(303, { location, 'cache-control': 'no-store' }).end()
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request, BODY_MAX_BYTES)
    const url = new URL(request.url ?? '/', 'http://sandbox.invalid')
    if (body === null) return json(response, 413, { error: { message: 'Too large' } })
    if (url.pathname.startsWith('/v1/')) return callApi(request, url, body, response)
    const sale = url.pathname.startsWith(PAY) ? book.find(url.pathname.slice(PAY.length)) : null
    if (sale === null) return json(response, 404, { error: { message: 'Nothing here' } })
    if (request.method === 'POST') return pressButton(sale, body, response)
    response.writeHead(200, PAGE_HEADERS).end(payPage(sale))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const bound = await listen(server, host, port)
  base = `http://${host}:${bound}`
  return {
    url: base,
    port: bound,
    act(sessionId, deed) {
      const sale = book.find(sessionId)
      return sale !== null && act(sale, deed)
    },
    sales: book.all,
    requests: (sessionId) => asked.filter((path) => path.includes(sessionId)).length,
    telling: (on) => {
      state.telling = on
    },
    loseAnswer: () => {
      state.losing = true
    },
    failing: (on) => {
      state.failing = on
    },
    close: () => {
      sender.close()
      return closeNow(server)
    },
  }
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
