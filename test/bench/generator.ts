import { connect, type Socket } from 'node:net'
import type { LoadJob, LoadMessage, LoadResult } from './support/load.ts'
import { createPaymentSigner } from './support/payments.ts'
import { createResponseReader } from './support/responseReader.ts'
import { percentile } from './support/statistics.ts'

/**
 * The load generator, a process of its own: keep-alive connections over raw sockets, one request under way
 * on each, requests prepared beforehand. One job per message; jobs come one after the other.
 */
const latencies = new Float64Array(4_000_000) //  at most this many are counted per round
const tell = (message: LoadMessage) => process.send?.(message)

process.on('message', (job: LoadJob) => {
  runJob(job).then(
    (result) => tell({ kind: 'done', result }),
    (error: unknown) => tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))

async function runJob(job: LoadJob): Promise<LoadResult> {
  const next = createRequests(job)
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => open(job.port)))
  try {
    return await fire(job, sockets, next)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** @returns the next request's bytes; null when there are no more. */
function createRequests({ port, path, header, payments }: LoadJob): () => Buffer | null {
  const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\n`
  if (header !== undefined) {
    const requests = header.values.map((value) => Buffer.from(`${head}${header.name}: ${value}\r\n\r\n`))
    let at = 0
    return () => requests[at++ % requests.length]!
  }
  if (payments === undefined) {
    const request = Buffer.from(`${head}\r\n`)
    return () => request
  }
  const { terms, resource, keys, count } = payments
  const signers = keys.map((key) => createPaymentSigner(Buffer.from(key, 'hex'), terms, resource))
  const nowS = Math.floor(Date.now() / 1000)
  const requests = Array.from({ length: count }, (_, at) =>
    Buffer.from(`${head}PAYMENT-SIGNATURE: ${signers[at % signers.length]!(nowS)}\r\n\r\n`),
  )
  return () => requests.pop() ?? null
}

type Connection = Socket & { onBytes: (piece: Buffer) => void }

function open(port: number): Promise<Connection> {
  const buffer = Buffer.allocUnsafe(64 * 1024)
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer,
        callback: (count) => {
          socket.onBytes(buffer.subarray(0, count))
          return true
        },
      },
    }) as Connection
    socket.onBytes = () => {}
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
}

/** Each call returns when the next request is due, at a steady rate from now on; without a rate it is due at once. */
function createSchedule(perSecond: number | undefined): () => number {
  if (perSecond === undefined) return () => performance.now()
  const beganMs = performance.now()
  let at = 0
  return () => beganMs + (at++ * 1_000) / perSecond
}

function fire(job: LoadJob, sockets: Connection[], next: () => Buffer | null): Promise<LoadResult> {
  const nextDueMs = createSchedule(job.offered)
  let samples = 0
  let bytes = 0
  let counting = false
  let startMs = 0
  let endMs = Number.POSITIVE_INFINITY
  let lastMs = 0
  let cpu = process.cpuUsage()
  return new Promise((resolve, reject) => {
    const begin = () => {
      counting = true
      startMs = performance.now()
      lastMs = startMs
      endMs = startMs + job.seconds * 1_000
      cpu = process.cpuUsage()
      tell({ kind: 'started' })
    }
    let idle = 0
    const finish = () => {
      if (!counting || samples === 0)
        return reject(new Error('no request was counted: more payments are needed'))
      const { user, system } = process.cpuUsage(cpu)
      const sorted = latencies.subarray(0, samples).sort()
      const p50Ms = percentile(sorted, 0.5)
      //  an offered load waits for its last answer; the time that one answer takes does not count in the rate
      const elapsedMs =
        job.offered === undefined ? lastMs - startMs : Math.max(endMs, lastMs - p50Ms) - startMs
      resolve({
        requests: samples,
        elapsedMs,
        bytes,
        p50Ms,
        p99Ms: percentile(sorted, 0.99),
        generatorShare: (user + system) / 1_000 / elapsedMs,
      })
    }
    for (const socket of sockets) {
      const read = createResponseReader()
      let dueMs = 0
      const send = () => {
        dueMs = nextDueMs()
        const request = dueMs < endMs ? next() : null
        if (request === null) {
          idle++
          if (idle === sockets.length) finish()
          return
        }
        const write = () => {
          dueMs = Math.min(dueMs, performance.now()) //  a timer may be early by part of a millisecond
          socket.write(request)
        }
        const earlyMs = dueMs - performance.now()
        if (earlyMs > 0) setTimeout(write, earlyMs)
        else write()
      }
      const isCounted = (nowMs: number) =>
        counting && dueMs >= startMs && (job.offered === undefined ? nowMs <= endMs : dueMs < endMs)
      socket.onBytes = (piece) => {
        try {
          const answer = read(piece)
          if (answer === null) return
          if (answer.status !== job.expectStatus)
            throw new Error(
              `status ${answer.status} instead of ${job.expectStatus}: ${piece.toString().slice(0, 600)}`,
            )
          const nowMs = performance.now()
          if (isCounted(nowMs) && samples < latencies.length) {
            latencies[samples++] = nowMs - dueMs
            lastMs = nowMs
            bytes = answer.bytes
          }
          send()
        } catch (error) {
          reject(error)
        }
      }
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the server closed a connection')))
      send()
    }
    setTimeout(begin, job.warmUpSeconds * 1_000)
  })
}
