import { connect, type Socket } from 'node:net'
import { Agent, request, WebSocket } from 'undici'
import { until } from './process.ts'

export type Told = { event: string; id: string | null; data: Record<string, unknown> }

export type SseReader = {
  status: number
  heard: Told[]
  comments: string[]
  retryMs: number | null
  ended: boolean
  lastId(): string | null
  hears(what: string, ask: (heard: Told[]) => unknown): Promise<void>
  close(): void
}

/** Reads server-sent events by the letter of the standard, and keeps all it hears. */
export async function readSse(url: string, headers: Record<string, string>): Promise<SseReader> {
  const stop = new AbortController()
  const answer = await request(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: stop.signal,
    bodyTimeout: 0,
  })
  const reader: SseReader = {
    status: answer.statusCode,
    heard: [],
    comments: [],
    retryMs: null,
    ended: false,
    lastId: () => reader.heard.findLast(({ id }) => id !== null)?.id ?? null,
    hears: async (what, ask) => {
      await until(what, () => Boolean(ask(reader.heard)))
    },
    close: () => stop.abort(),
  }
  const read = async () => {
    let rest = ''
    for await (const chunk of answer.body) {
      rest += String(chunk)
      const blocks = rest.split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) note(reader, block)
    }
  }
  answer.body.setEncoding('utf8')
  read()
    .catch(() => {})
    .finally(() => {
      reader.ended = true
    })
  return reader
}

function note(reader: SseReader, block: string): void {
  const told: Told = { event: 'message', id: null, data: {} }
  let hasData = false
  for (const line of block.split('\n')) {
    const [name = '', value = ''] = line.split(/:(.*)/s).map((part) => part.replace(/^ /, ''))
    if (name === '') reader.comments.push(value)
    else if (name === 'retry') reader.retryMs = Number(value)
    else if (name === 'event') told.event = value
    else if (name === 'id') told.id = value
    else if (name === 'data') {
      hasData = true
      told.data = JSON.parse(value)
    }
  }
  if (hasData) reader.heard.push(told)
}

export const STREAM = '/api/v1/stream'

export type SocketReader = {
  heard: (Record<string, unknown> & { kind: string })[]
  closed: { code: number } | null
  send(message: unknown): void
  pause(): void
  resume(): void
  close(): void
  hears(what: string, ask: (heard: SocketReader['heard']) => unknown): Promise<void>
}

/** A WebSocket client over a socket that can stop reading. */
export async function readSocket(port: number, headers: Record<string, string>): Promise<SocketReader> {
  let wire: Socket | null = null
  const dispatcher = new Agent({
    connect: (_options, callback) => {
      const socket = connect(port, '127.0.0.1', () => callback(null, socket))
      wire = socket
      return socket
    },
  })
  const client = new WebSocket(`ws://127.0.0.1:${port}${STREAM}`, { headers, dispatcher })
  const reader: SocketReader = {
    heard: [],
    closed: null,
    send: (message) => client.send(typeof message === 'string' ? message : JSON.stringify(message)),
    pause: () => wire!.pause(),
    resume: () => wire!.resume(),
    close: () => {
      client.close()
      void dispatcher.destroy()
    },
    hears: async (what, ask) => {
      await until(what, () => Boolean(ask(reader.heard)))
    },
  }
  client.addEventListener('message', ({ data }) => reader.heard.push(JSON.parse(data)))
  client.addEventListener('close', ({ code }) => {
    reader.closed = { code }
  })
  await until('open', () => client.readyState === WebSocket.OPEN)
  return reader
}
