import type { z } from 'zod'
import type { Clock } from '../../ops/clock.ts'
import type { Grant } from '../entitlements/grant.ts'
import type { Problem, ProblemCode } from '../errors.ts'
import type { Boards } from '../latest.ts'
import type { SoldCard } from '../ledger/soldCard.ts'
import type { Subject } from '../receipts/statement.ts'
import type { LookUp } from './utility/dns/lookup.ts'
import type { Compute } from './utility/pool/pool.ts'

/** What a good may use when it answers. None of it reaches a store; of the network it reaches DNS resolvers only. */
export type GoodPorts = {
  boards: Boards
  marketClock: Clock
  marketMaxAgeMs: number
  recorded: boolean
  lookUp: LookUp //   public DNS
  compute: Compute // a heavy answer, worked out beside the event loop
}

/** An answer before its payment is settled: JSON, complete but for what only the payment knows. */
export type Draft = {
  result: Record<string, unknown>
  snapshotVersion: number | null
  cards?: SoldCard[] // the gap cards in it: the journal records them, so that history can tell how they turned out
}

/** What a finished payment adds. */
export type Paid = { transaction: string }

/**
 * Shape of `result` in a 200, without `paymentAttestation`. A property that is required here is in every answer. The
 * descriptions of the good (OpenAPI, MCP, docs) are derived from it.
 */
export type Output = z.ZodObject

/** One query parameter, as every surface describes it. */
export type Parameter = {
  name: string
  required: boolean
  description: string
  example: string
  insteadOf?: string //           another parameter: one of both is taken, never both
}

/**
 * One thing we sell, whichever way it is bought. Answers, catalog and prices of all purchase paths read this record.
 * `answer` has no side effect and runs before any money moves; where it returns a Problem nothing is charged.
 */
export type Sellable<Input> = {
  sku: string
  title: string
  description: string //          of the 402 and the catalog; below 500 characters
  listPriceMicroUsdc: bigint //   price A of the spec: shown
  priceMicroUsdc: bigint //       price B of the spec: charged
  maxSpendMicroUsdc?: bigint //   default spend cap, published beside the price
  input: z.ZodType<Input>
  answer(input: Input, ports: GoodPorts): Draft | Problem | Promise<Draft | Problem>
  refusals?: readonly ProblemCode[] // the problems `answer` may return
  /** Whether the answer waits for what is scarce: name servers, or a thread. Then payment/fewEach.ts gives each payer a share. */
  isSlow?(input: Input): boolean
  grant?: Grant //                the entitlement that a token in the answer stands for
  creditMicroUsdc?: bigint //     store credit that the purchase adds
  /** What is attested, for goods that are: signed as `result.attestation` once the payment is known. */
  subject?(result: Record<string, unknown>): Subject
  /** Completes the draft's result once the payment is known. */
  finish?(result: Record<string, unknown>, paid: Paid): Record<string, unknown>
}

/** One thing we sell by GET. Its route and its 402 read this record too. */
export type Good<Input> = Sellable<Input> & {
  path: `/x402/v1/${string}`
  delivers: string //             what `result` holds, in a line of the catalog (spec 2.2)
  output: Output
  parameters: readonly Parameter[]
  headers?: readonly Parameter[] // optional request headers of the spec; none of them changes the answer
  payload?: Parameter //          header X-Service-Payload, part of the input: the schema finds it as `payload`, undecoded
}

/**
 * An hour pass pays for every good except those that grant an entitlement of their own (feed token, permit, credit, another
 * pass; spec 8) and attestations, which are dated by their payment: a call under a pass has none.
 */
export const isCoveredByPass = (good: Sellable<unknown>): boolean =>
  good.grant === undefined && good.creditMicroUsdc === undefined && good.subject === undefined

/** Store credit buys everything but store credit (CRD-10). */
export const isSoldForCredit = ({ creditMicroUsdc }: Sellable<unknown>): boolean =>
  creditMicroUsdc === undefined

/** Checks that `input` and `answer` agree on the input's type, then erases it, so that goods fit one list. */
export const defineGood = <Input>(good: Good<Input>): Good<unknown> => good as unknown as Good<unknown>
