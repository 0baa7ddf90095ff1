import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Retry } from '../../../ingest/poll/backoff.ts'
import { createReader, type Limit } from '../../../ingest/venues/reader.ts'
import { type HttpClient, HttpError, type HttpRead } from '../../../ops/http.ts'

const FAST = { perSecond: 10_000, burst: 10_000 }
const retry: Retry = { attempts: 2, baseMs: 0, capMs: 0, longestWaitMs: 300 }
const never = new AbortController().signal
const asked = (
  retryAfterMs: number | null,
  code: 'http_rate_limited' | 'http_status' = 'http_rate_limited',
) => new HttpError(code, 'x: refused', { retryable: true, status: 429, retryAfterMs })

/** A reader of a host that first answers with these errors, and then succeeds. */
const readerOf = (...answers: HttpError[]) => readerWith({}, ...answers)

function readerWith(
  { limit = FAST, ...rest }: { limit?: Limit; retry?: Retry; random?: () => number },
  ...answers: HttpError[]
) {
  const reads: number[] = []
  const readBytes = async (read: HttpRead) => {
    reads.push(performance.now())
    read.onStamp?.({ date: 'Sat, 21 Nov 2026 12:00:00 GMT', age: undefined, sentMs: 0, arrivedMs: 0 })
    const error = answers.shift()
    if (error !== undefined) throw error
    return Buffer.from('good')
  }
  const http = { readBytes } as unknown as HttpClient
  const reader = createReader(http, limit, { random: () => 0, retry, ...rest })
  const read = (signal = never) => reader({ url: 'http://x', signal }, String)
  return { http, reads, read }
}
const failure = async (promise: Promise<unknown>): Promise<HttpError> => {
  const error = await promise.then(
    () => new Error('it was read'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof HttpError)) throw error
  return error
}

describe('VEN-01: a pause that a host asks for holds every read of it, whoever was told', () => {
  test('a short one: the others wait until it is over, then read', async () => {
    const { reads, read } = readerOf(asked(200))
    const first = read()
    await sleep(20)
    expect(await Promise.all([first, read(), read()])).toEqual(['good', 'good', 'good'])
    expect(reads).toHaveLength(4)
    for (const atMs of reads.slice(1)) expect(atMs - reads[0]!).toBeGreaterThanOrEqual(200)
  })
  test('one longer than a read may wait: they fail unasked, as the host answered, with what is left of it', async () => {
    const { reads, read } = readerOf(asked(60_000))
    expect((await failure(read())).retryAfterMs).toBe(60_000)
    await sleep(20)
    const error = await failure(read())
    expect(error).toMatchObject({ code: 'http_rate_limited', status: 429, retryable: true })
    expect(error.retryAfterMs).toBeGreaterThan(59_000)
    expect(error.retryAfterMs).toBeLessThan(60_000)
    expect(reads).toHaveLength(1)
  })
  test('with 503 as with 429, and asked for by the last try too', async () => {
    const { reads, read } = readerOf(asked(null, 'http_status'), asked(60_000, 'http_status'))
    await failure(read())
    expect((await failure(read())).code).toBe('http_status')
    expect(reads).toHaveLength(2)
  })
  test('a longer one is not cut short by a shorter one', async () => {
    const { reads, read } = readerOf(asked(60_000), asked(1))
    await Promise.all([failure(read()), failure(read())])
    expect((await failure(read())).retryAfterMs).toBeGreaterThan(59_000)
    expect(reads).toHaveLength(2)
  })
  test('one that becomes longer while somebody waits for it holds him to its end', async () => {
    let toldMs = Number.POSITIVE_INFINITY
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => {
        toldMs = performance.now()
        reject(asked(200))
      }, 50),
    )
    const answers: Promise<unknown>[] = [late, Promise.reject(asked(100))]
    const reads: number[] = []
    const readBytes = () => {
      reads.push(performance.now())
      return answers.shift() ?? Promise.resolve(Buffer.from('good'))
    }
    const reader = createReader({ readBytes } as unknown as HttpClient, FAST, { random: () => 0, retry })
    const read = () => reader({ url: 'http://x', signal: never }, String)
    const told = [read(), read()]
    await sleep(20)
    await Promise.all([...told, read()])
    expect(reads).toHaveLength(5)
    for (const atMs of reads.slice(2)) expect(atMs - toldMs).toBeGreaterThanOrEqual(200)
  })
  test('nobody is waited for longer than a feed would', async () => {
    const { read } = readerOf(asked(999_999_999_000))
    await failure(read())
    expect((await failure(read())).retryAfterMs).toBeLessThanOrEqual(600_000)
  })
  test('an answer that asks for none holds nobody', async () => {
    const { reads, read } = readerOf(asked(null), asked(null))
    await failure(read())
    expect(await read()).toBe('good')
    expect(reads).toHaveLength(3)
  })
  test('who gives up meanwhile does not wait, and the others still do', async () => {
    const { read } = readerWith({ retry: { ...retry, longestWaitMs: 600_000 } }, asked(600_000))
    const [stop, later] = [new AbortController(), new AbortController()]
    const told = read(stop.signal)
    await sleep(20)
    const waits = read(stop.signal)
    const other = expect(read(later.signal).finally(() => ended.push('other'))).rejects.toThrow()
    const ended: string[] = []
    stop.abort()
    await Promise.all([told, waits].map((each) => expect(each).rejects.toThrow()))
    await sleep(20)
    expect(ended).toEqual([])
    later.abort()
    await other
  })
})

describe('VEN-01: reads keep to the limit of their host, and are tried again where that can help', () => {
  test('beyond its burst a read waits for its turn', async () => {
    const { reads, read } = readerWith({ limit: { perSecond: 10, burst: 2 } })
    await Promise.all([read(), read(), read()])
    expect(reads[2]! - reads[0]!).toBeGreaterThanOrEqual(90)
  })
  test('each try waits longer than the one before', async () => {
    const slow = { attempts: 3, baseMs: 80, capMs: 1_000, longestWaitMs: 1_000 }
    const { reads, read } = readerWith({ retry: slow, random: () => 0.99 }, asked(null), asked(null))
    expect(await read()).toBe('good')
    expect(reads[1]! - reads[0]!).toBeGreaterThanOrEqual(79)
    expect(reads[2]! - reads[1]!).toBeGreaterThanOrEqual(158)
  })
  test('what will fail again is not, nor a fault of ours', async () => {
    const gone = readerOf(new HttpError('http_status', 'x: status 404', { retryable: false, status: 404 }))
    await failure(gone.read())
    expect(gone.reads).toHaveLength(1)
    const { http, reads } = readerOf()
    const read = createReader(http, FAST, { retry })({ url: 'http://x', signal: never }, () => {
      throw new TypeError('ours')
    })
    await expect(read).rejects.toThrow(TypeError)
    expect(reads).toHaveLength(1)
  })
  test('who gives up meanwhile waits neither for his turn nor for the next try', async () => {
    const turns = readerWith({ limit: { perSecond: 0.001, burst: 1 } })
    await turns.read()
    const tries = readerWith(
      { retry: { attempts: 2, baseMs: 900_000, capMs: 900_000, longestWaitMs: 900_000 }, random: () => 0.9 },
      asked(null),
    )
    for (const { read } of [turns, tries]) {
      const stop = new AbortController()
      const given = read(stop.signal)
      await sleep(20)
      stop.abort()
      await expect(given).rejects.toThrow('aborted')
    }
  })
})

describe('VEN-08: what an answer says about the clock of its host', () => {
  test('is told when there is somebody to tell, of every answer', async () => {
    const { http } = readerOf()
    const told: number[] = []
    const reader = createReader(http, FAST, { retry, onClock: (aheadMs) => told.push(aheadMs) })
    await reader({ url: 'http://x', signal: never }, String)
    await reader({ url: 'http://x', signal: never }, String)
    expect(told).toEqual([Date.UTC(2026, 10, 21, 12), Date.UTC(2026, 10, 21, 12)])
  })
  test('nothing is told of an answer that does not say', async () => {
    const readBytes = async (read: HttpRead) => {
      read.onStamp?.({ date: undefined, age: undefined, sentMs: 0, arrivedMs: 0 })
      return Buffer.from('good')
    }
    const told: number[] = []
    const reader = createReader({ readBytes } as unknown as HttpClient, FAST, {
      onClock: (ms) => told.push(ms),
    })
    await reader({ url: 'http://x', signal: never }, String)
    expect(told).toEqual([])
  })
})
