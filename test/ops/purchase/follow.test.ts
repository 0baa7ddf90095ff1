import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Following, follow } from '../../../ops/purchase/follow.ts'
import { PurchaseEnd } from '../../../ops/purchase/outcomes.ts'

type Connection = (request: IncomingMessage, response: ServerResponse) => void
let stop = async () => {}
afterEach(() => stop())

/** One reaction a connection, the last is repeated. */
async function startStream(...connections: Connection[]) {
  const asked: (string | undefined)[] = [] // Last-Event-ID of each connection
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined)
    connections[Math.min(asked.length, connections.length) - 1]!(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed` }
}

const streamed =
  (text: string, end: 'ends' | 'breaks'): Connection =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`retry: 10\n\n${text}`, () => (end === 'ends' ? response.end() : response.destroy()))
  }
const refused =
  (status: number, headers = {}): Connection =>
  (_, response) =>
    response.writeHead(status, headers).end()
const event = (id: string, kind = 'opened') => `id: ${id}\nevent: ${kind}\ndata: {"id":"${id}"}\n\n`

/** Follows until `count` events were heard. */
async function hear(url: string, count: number, change: Partial<Following> = {}) {
  const heard: string[] = []
  const lost: string[] = []
  await follow({
    url,
    headers: { 'x-service-feed-token': 't' },
    lastEventId: '',
    stop: new AbortController().signal,
    onOpen() {},
    onLost: (why) => lost.push(why),
    async onEvent({ id, kind }) {
      heard.push(`${kind} ${id}`)
      return heard.length < count
    },
    ...change,
  })
  return { heard, lost }
}

describe('a stream is taken up behind the last event that was heard', () => {
  test('after it ended, and after it broke', async () => {
    const { url, asked } = await startStream(
      streamed(event('1') + event('2'), 'ends'),
      streamed(event('3'), 'breaks'),
      streamed(event('4'), 'ends'),
    )
    const { heard, lost } = await hear(url, 4)
    expect(heard).toEqual(['opened 1', 'opened 2', 'opened 3', 'opened 4'])
    expect(asked).toEqual([undefined, '2', '3'])
    expect(lost).toEqual(['the connection ended', 'the connection broke'])
  })

  test('from where the caller says', async () => {
    const { url, asked } = await startStream(streamed(event('9'), 'ends'))
    await hear(url, 1, { lastEventId: '8' })
    expect(asked).toEqual(['8'])
  })

  test('503 with Retry-After is waited for', async () => {
    const { url } = await startStream(refused(503, { 'retry-after': '0' }), streamed(event('1'), 'ends'))
    expect(await hear(url, 1)).toEqual({ heard: ['opened 1'], lost: ['the service answers 503'] })
  })

  test('an event that is cut in the middle is not told; it comes again as a whole', async () => {
    const { url } = await startStream(
      streamed(`${event('1')}id: 2\nevent: opened\ndata: {"i`, 'breaks'),
      streamed(event('2'), 'ends'),
    )
    expect((await hear(url, 2)).heard).toEqual(['opened 1', 'opened 2'])
  })
})

describe('what is of no use to try again', () => {
  test.each([
    [refused(401), 'used_up'],
    [refused(404), 'refused'],
    [refused(302, { location: 'http://127.0.0.1:9/' }), 'refused'], // a token is not carried elsewhere
    [(_: unknown, response: ServerResponse) => response.writeHead(200).end('{}'), 'refused'],
    [streamed(event('1', 'expired'), 'ends'), 'used_up'],
    [streamed(event('1', 'revoked'), 'ends'), 'refused'], // it may come back
    [
      (_: unknown, response: ServerResponse) => response.writeHead(401).end('{"code":"feed_token_revoked"}'),
      'refused',
    ],
  ] as [Connection, string][])('%s ends with %s', async (connection, outcome) => {
    const { url, asked } = await startStream(connection)
    const error = await hear(url, 9).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PurchaseEnd)
    expect((error as PurchaseEnd).outcome).toBe(outcome)
    expect(asked).toHaveLength(1)
  })

  test('a reader that was slow is sent away, and goes on', async () => {
    const { url, asked } = await startStream(
      streamed(event('1') + event('', 'slow'), 'ends'),
      streamed(event('2'), 'ends'),
    )
    await hear(url, 3)
    expect(asked).toEqual([undefined, '1'])
  })

  test('stopping ends it, also while it waits', async () => {
    const { url } = await startStream(refused(503, { 'retry-after': '600' }))
    const stopping = new AbortController()
    await hear(url, 1, { stop: stopping.signal, onLost: () => stopping.abort() })
  })
})
