import { z } from 'zod'
import { PROBLEMS, type ProblemCode } from '../errors.ts'
import { problemBody } from '../http/respond.ts'
import type { ResponseObject } from './build.ts'
import { type HeaderName, headersWith } from './headers.ts'
import type { Operation } from './operation.ts'
import type { JsonSchema } from './schemas.ts'

const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]

export const ProblemCodes = z
  .enum(CODES)
  .describe('Closed list: components.examples has each with its status, title and what to do next')

const PaidBy = z.object({
  nonce: z.string(),
  state: z.string(),
  path: z.string().nullable(),
  transaction: z.string().nullable(),
  receipt: z.url().nullable(),
})
const Prove = z.object({ header: z.string(), scheme: z.literal('EIP-191'), text: z.string() })

/** RFC 9457, plus what a program needs to go on. */
export const ProblemBody = z.object({
  ok: z.literal(false),
  type: z.string().describe('/errors#code'),
  title: z.string(),
  status: z.int(),
  code: ProblemCodes,
  detail: z.string().optional().describe('May name a parameter, never its value'),
  retryable: z.boolean().describe('May the same request succeed later?'),
  next: z.string().describe('What to do'),
  ageMs: z.object({ a: z.number(), b: z.number() }).optional().describe('With stale_data, by venue'),
  maxAgeMs: z.number().optional().describe('With stale_data'),
  needed: z.int().optional().describe('With not_enough_data'),
  available: z.int().optional().describe('With not_enough_data'),
  didYouMean: z.string().optional().describe('With not_found: the path that is served'),
  paidBy: PaidBy.optional().describe('With already_paid and payment_id_bound: the payment that came first'),
  prove: Prove.optional().describe('Sign text with the paying wallet and send it in this header'),
})

/** The page that a person's browser gets instead. */
export const PAGE = { schema: { type: 'string' } } as const

const PROBLEM_TYPE = 'application/problem+json'

/** `components.examples`: each problem once. */
export const problemExamples = () =>
  Object.fromEntries(
    CODES.map((code) => [code, { summary: PROBLEMS[code].title, value: problemBody({ problem: code }) }]),
  )

/**
 * Headers of single refusals: a payment that cannot be read is told what to pay, one whose outcome is open how far it
 * is, and a caller that is lost where everything is listed.
 */
const OWN_HEADERS: Partial<Record<ProblemCode, HeaderName>> = {
  malformed_payment: 'payment-required',
  unsupported_payment: 'payment-required',
  two_payments: 'payment-required',
  settlement_pending: 'payment-response',
  not_found: 'link',
}

const headersOf = (status: number, codes: readonly ProblemCode[]): HeaderName[] => [
  ...(status === 401 ? (['www-authenticate'] as const) : []),
  ...(status === 426 ? (['upgrade'] as const) : []),
  ...(status === 429 || status === 503 ? (['retry-after'] as const) : []),
  ...new Set(codes.flatMap((code) => OWN_HEADERS[code] ?? [])),
]

/** A refusal that many operations share is written once, under `components.responses`. */
export function createRefusals(problem: JsonSchema) {
  const names = new Map<string, string>()
  const responses: Record<string, ResponseObject> = {}
  const named = (status: number, codes: readonly ProblemCode[], method: Operation['method']): string => {
    const key = `${method} ${status} ${codes.join()}`
    const known = names.get(key)
    if (known !== undefined) return known
    const name = `Refused${status}No${Object.keys(responses).length + 1}`
    names.set(key, name)
    responses[name] = refusal(status, codes, problem, method)
    return name
  }
  return {
    /** References to the refusals of an operation, by status. */
    of(codes: readonly ProblemCode[], method: Operation['method']): Record<string, { $ref: string }> {
      const byStatus = Map.groupBy([...new Set(codes)].sort(), (code) => PROBLEMS[code].status)
      return Object.fromEntries(
        [...byStatus].map(([status, of]) => [
          status,
          { $ref: `#/components/responses/${named(status, of, method)}` },
        ]),
      )
    },
    /** Only the media types, for a status that is also an answer. */
    forms(codes: readonly ProblemCode[], status: number, method: Operation['method']) {
      const of = codes.filter((code) => PROBLEMS[code].status === status)
      return of.length === 0 ? {} : refusal(status, of, problem, method).content
    },
    components: (): Record<string, ResponseObject> => responses,
  }
}
export type Refusals = ReturnType<typeof createRefusals>

const refusal = (
  status: number,
  codes: readonly ProblemCode[],
  problem: JsonSchema,
  method: Operation['method'],
): ResponseObject => ({
  description: codes.map((code) => PROBLEMS[code].title).join('; '),
  headers: headersWith(...headersOf(status, codes)),
  content: {
    [PROBLEM_TYPE]: {
      schema: { ...problem, type: 'object', properties: { code: { enum: codes } } },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
    ...(method === 'GET' ? { 'text/html': PAGE } : {}),
  },
})
