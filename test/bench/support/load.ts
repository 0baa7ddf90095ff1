import type { PaymentTerms } from './payments.ts'

/** What the generator is told, once per round. */
export type LoadJob = {
  port: number
  path: string
  connections: number
  seconds: number
  warmUpSeconds: number //       counted for nothing
  expectStatus: number //        any other answer ends the round as a failure
  /** Requests due in a second, however slow the answers are; absent: each connection sends when it has its answer. */
  offered?: number
  /** A header with one value a request, in turns. */
  header?: { name: string; values: readonly string[] }
  /** absent: unpaid requests. Each payment is used once; the round ends early when all are used. Keys are hex, used in turns. */
  payments?: { terms: PaymentTerms; resource: unknown; keys: readonly string[]; count: number }
}

/** What it answers. Times in ms, latencies of complete answers only; of offered requests from when they were due. */
export type LoadResult = {
  requests: number
  elapsedMs: number
  p50Ms: number
  p99Ms: number
  bytes: number //               of the last answer
  generatorShare: number //      of one core that the generator itself used
}

/** Messages of the generator process: ready to fire, done with a round, or cannot. */
export type LoadMessage =
  | { kind: 'started' } //       the warm-up is over: the counted part begins now
  | { kind: 'done'; result: LoadResult }
  | { kind: 'failed'; why: string }
