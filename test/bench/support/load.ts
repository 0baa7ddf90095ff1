import type { PaymentTerms } from './payments.ts'

/** What the generator is to do in one round. */
export type LoadJob = {
  port: number
  path: string
  connections: number
  seconds: number
  warmUpSeconds: number //       not counted
  expectStatus: number //        any other answer ends the round as a failure
  /** Requests due in a second, however slow the answers are; absent: each connection sends when it has its answer. */
  offered?: number
  /** A header that takes the next of these values with each request, and begins again after the last. */
  header?: { name: string; values: readonly string[] }
  /** absent: unpaid requests. Each payment is used once; the round ends when all are used. Keys: hex, in rotation. */
  payments?: { terms: PaymentTerms; resource: unknown; keys: readonly string[]; count: number }
}

/** The result of a round. Times in ms; latencies are of complete answers only, and of offered requests since due. */
export type LoadResult = {
  requests: number
  elapsedMs: number
  p50Ms: number
  p99Ms: number
  bytes: number //               of the last answer
  generatorShare: number //      share of one core that the generator itself used
}

/** Messages of the generator process: ready to fire, done with a round, or cannot. */
export type LoadMessage =
  | { kind: 'started' } //       the warm-up is over: the counted part begins now
  | { kind: 'done'; result: LoadResult }
  | { kind: 'failed'; why: string }
