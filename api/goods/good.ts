import type { z } from 'zod'
import type { Clock } from '../../ops/clock.ts'
import type { Problem } from '../errors.ts'
import type { Boards } from '../latest.ts'

/** What a good may read when it answers. Nothing here can reach a store or the network. */
export type GoodPorts = {
  boards: Boards
  marketClock: Clock
  marketMaxAgeMs: number
  recorded: boolean
}

/** An answer before its payment is settled: JSON, complete but for what only the payment knows. */
export type Draft = { result: Record<string, unknown>; snapshotVersion: number | null }

/** What a finished payment adds. */
export type Paid = { transaction: string }

/** One query parameter, as every surface describes it. */
export type Parameter = { name: string; required: boolean; description: string; example: string }

/**
 * One thing we sell. Routes, 402 challenge and answers (and every published surface) read this record.
 * `answer` has no side effect and is called before any money moves; a Problem means nothing is charged.
 */
export type Good<Input> = {
  sku: string
  path: `/x402/v1/${string}`
  title: string
  description: string //          of the 402 and the catalog; below 500 characters
  listPriceMicroUsdc: bigint //   price A of the spec: shown
  priceMicroUsdc: bigint //       price B of the spec: charged
  parameters: readonly Parameter[]
  headers?: readonly Parameter[] // optional request headers of the spec; none of them changes the answer
  maxSpendMicroUsdc?: bigint //   default spend cap, published beside the price
  input: z.ZodType<Input>
  answer(input: Input, ports: GoodPorts): Draft | Problem
  /** Completes the draft's result once the payment is known. */
  finish?(result: Record<string, unknown>, paid: Paid): Record<string, unknown>
}

/** Keeps the input's type between `input` and `answer`, then forgets it: a list of goods is uniform. */
export const defineGood = <Input>(good: Good<Input>): Good<unknown> => good as unknown as Good<unknown>
