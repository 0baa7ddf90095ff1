import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { END_WITHIN_MS, MAX_WAITING_BYTES } from '../../../api/http/exchange.ts'
import { createStreamSink } from '../../../api/http/streamSink.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A stream that has begun, and the server's side of it: the system takes bytes while `takes`. */
function begun({ takes }: { takes: boolean }) {
  const server = { takes, sent: 0, ends: 0, closes: 0, over: 0 }
  const told: string[] = []
  const sink = createStreamSink(
    {
      cork: (work) => work(),
      write: (chunk) => {
        server.sent += Buffer.byteLength(chunk)
        return server.takes
      },
      end: () => server.ends++,
      close: () => server.closes++,
    },
    () => server.over++,
  )
  sink.onDrained(() => told.push('drained'))
  sink.onClosed(() => told.push('closed'))
  sink.begin()
  told.length = 0
  return { server, sink, told }
}

describe('HTTP-18 a stream that we end', () => {
  test('at once when nothing waits: told once, and its response is not touched again', () => {
    const { server, sink, told } = begun({ takes: true })
    sink.write('all')
    sink.end()
    sink.end()
    expect([sink.write('late'), sink.waiting()]).toEqual([false, 0])
    sink.writable()
    sink.begin()
    sink.gone()
    vi.advanceTimersByTime(2 * END_WITHIN_MS)
    expect(server).toEqual({ takes: true, sent: 3, ends: 1, closes: 0, over: 1 })
    expect(told).toEqual(['closed'])
  })

  test('behind what waits; then it is not cut off, which would be a response that is no more', () => {
    const { server, sink, told } = begun({ takes: false })
    sink.write('x'.repeat(20_000))
    sink.end()
    expect([server.sent, server.ends, sink.waiting(), sink.write('late')]).toEqual([16_000, 0, 20_000, false])
    server.takes = true
    vi.advanceTimersByTime(END_WITHIN_MS - 1)
    sink.writable()
    expect(server).toEqual({ takes: true, sent: 20_000, ends: 1, closes: 0, over: 1 })
    vi.advanceTimersByTime(2 * END_WITHIN_MS)
    expect([server.closes, told]).toEqual([0, ['closed']])
  })

  test.each([
    ['who reads nothing is cut off in time', false, 1],
    ['who has left meanwhile is not touched', true, 0],
  ])('%s', (_, leaves, closes) => {
    const { server, sink } = begun({ takes: false })
    sink.write('x')
    sink.end()
    if (leaves) sink.gone()
    vi.advanceTimersByTime(END_WITHIN_MS - 1)
    expect(server.closes).toBe(0)
    vi.advanceTimersByTime(1)
    expect(server).toMatchObject({ ends: 0, closes, over: 0 })
  })
})

test('HTTP-05 who has left is told of once, also to whoever asks later; nothing more is sent', () => {
  const { server, sink, told } = begun({ takes: false })
  sink.write('x'.repeat(40_000))
  sink.gone()
  sink.gone()
  sink.onClosed(() => told.push('closed before'))
  server.takes = true
  sink.writable()
  sink.begin()
  sink.end()
  expect(sink.write('late')).toBe(false)
  expect([server, told]).toEqual([
    { takes: true, sent: 16_000, ends: 0, closes: 0, over: 0 },
    ['closed', 'closed before'],
  ])
})

test('HTTP-18 as many bytes wait as may; with one more he is cut off, and that is not kept', () => {
  const { server, sink } = begun({ takes: false })
  sink.write('x') //  with the server
  sink.write(Buffer.alloc(MAX_WAITING_BYTES))
  expect([server.closes, sink.waiting()]).toEqual([0, MAX_WAITING_BYTES + 1])
  expect([sink.write('x'), server.closes, sink.waiting()]).toEqual([false, 1, MAX_WAITING_BYTES + 1])
})

test('that there is room again is told when all is out, and only to who had to wait', () => {
  const { server, sink, told } = begun({ takes: false })
  expect([sink.write('one'), sink.write(''), sink.write('two')]).toEqual([false, false, false])
  sink.writable()
  expect([told, sink.waiting()]).toEqual([[], 3]) //  the second is with the server now
  server.takes = true
  sink.writable()
  expect([told, sink.waiting()]).toEqual([['drained'], 0])
  sink.writable()
  expect([sink.write(''), sink.write('three'), told]).toEqual([true, true, ['drained']])
})
