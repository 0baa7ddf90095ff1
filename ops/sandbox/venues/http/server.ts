import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Clock } from '../../../clock.ts'
import { listen } from '../../../listen.ts'
import { SECOND } from '../../../units.ts'
import { closeNow, readBody } from '../../httpServer.ts'
import { answerWith, type Delivery } from '../faults/apply.ts'
import type { Faults } from '../faults/rules.ts'
import type { Answer, Ask, Routes } from './answer.ts'

const compress = promisify(gzip)
/** More than any client of the venues has to say. */
const MAX_BODY_BYTES = 2 * 1024 * 1024
/** Below this an answer is sent as it is. */
const GZIP_FROM_BYTES = 1_024

export type VenueServer = { url: string; requests: () => number; close(): Promise<void> }

/** Answers a path under /__sandbox, or null. Never struck by faults. */
export type Control = (ask: Ask) => Answer

/** One venue on one port: reads the request, asks the routes through the faults, sends what comes. */
export async function serveVenue({
  venue,
  host,
  port,
  clock,
  routes,
  faults,
  control,
}: {
  venue: 'a' | 'b'
  host: string
  port: number
  clock: Clock
  routes: Routes
  faults: Faults
  control: Control
}): Promise<VenueServer> {
  let requests = 0
  //  a connection that is closed just when it is used again looks like a fault of the venue
  const server = createServer({ keepAliveTimeout: 30 * SECOND }, (request, response) => {
    requests += 1
    handle(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { 'content-type': 'application/json' }).end('{"code":"internal"}')
    })
  })

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request, MAX_BODY_BYTES)
    const url = new URL(request.url ?? '/', 'http://sandbox.invalid')
    const ask: Ask = {
      method: request.method ?? 'GET',
      path: plainPath(url.pathname),
      query: url.searchParams,
      body: body ?? '',
      nowMs: clock.nowMs(),
    }
    const zip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (body === null)
      return send(response, plain({ status: 413, body: '{"error":"Payload too large"}' }), ask.nowMs, zip)
    if (ask.path.startsWith('/__sandbox/')) return send(response, plain(control(ask)), ask.nowMs, zip)
    const rules = faults.strike(venue, ask.path)
    return send(response, answerWith(rules, ask, routes), ask.nowMs, zip)
  }

  const bound = await listen(server, host, port)
  return { url: `http://${host}:${bound}`, requests: () => requests, close: () => closeNow(server) }
}

/** A path that cannot be decoded names nothing. */
function plainPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const plain = (answer: Answer): Delivery => ({
  answer,
  delayMs: 0,
  hang: false,
  truncate: false,
  reset: false,
  dateSkewMs: 0,
})

/** The Date of an answer is the market's, as everything about markets is. */
async function send(response: ServerResponse, delivery: Delivery, nowMs: number, zip: boolean) {
  const { answer, delayMs, hang, truncate, reset, dateSkewMs } = delivery
  if (hang) return // the client's own limit ends it, or the server's close
  if (delayMs > 0) await sleep(delayMs)
  if (response.destroyed) return
  const raw = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  const zipped = truncate || (zip && raw.length >= GZIP_FROM_BYTES)
  const whole = zipped ? await compress(raw, { level: 1 }) : raw
  const sent = truncate ? whole.subarray(0, Math.max(12, Math.floor(whole.length / 2))) : whole
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    date: new Date(nowMs + dateSkewMs).toUTCString(),
    ...(zipped ? { 'content-encoding': 'gzip' } : {}),
    ...answer.headers,
    'content-length': sent.length,
  })
  if (!reset) return response.end(sent)
  response.write(sent.subarray(0, Math.max(1, Math.floor(sent.length / 2))), () => response.destroy())
}
