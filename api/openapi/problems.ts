import { z } from 'zod'
import { PROBLEMS, type ProblemCode } from '../errors.ts'
import { problemBody } from '../http/respond.ts'
import type { ResponseObject } from './build.ts'
import type { JsonSchema } from './schemas.ts'

const CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]

export const ProblemCodes = z
  .enum(CODES)
  .describe('Closed list: components.examples has each with its status, title and what to do next')

/** RFC 9457, and what a program needs to go on. */
export const ProblemBody = z.object({
  ok: z.literal(false),
  type: z.string().describe('/errors#code'),
  title: z.string(),
  status: z.int(),
  code: ProblemCodes,
  detail: z.string().optional().describe('May name a parameter, never its value'),
  retryable: z.boolean().describe('May the same request succeed later?'),
  next: z.string().describe('What to do'),
})

const PROBLEM_TYPE = 'application/problem+json'

/** `components.examples`: each problem once. */
export const problemExamples = () =>
  Object.fromEntries(
    CODES.map((code) => [code, { summary: PROBLEMS[code].title, value: problemBody({ problem: code }) }]),
  )

const RETRY_AFTER = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }

/** A refusal that many operations have in common is written once, under `components.responses`. */
export function createRefusals(problem: JsonSchema) {
  const names = new Map<string, string>()
  const responses: Record<string, ResponseObject> = {}
  const named = (status: number, codes: readonly ProblemCode[]): string => {
    const key = `${status} ${codes.join()}`
    const known = names.get(key)
    if (known !== undefined) return known
    const name = `Refused${status}No${Object.keys(responses).length + 1}`
    names.set(key, name)
    responses[name] = refusal(status, codes, problem)
    return name
  }
  return {
    /** By status, of an operation that may refuse for these. */
    of(codes: readonly ProblemCode[]): Record<string, { $ref: string }> {
      const byStatus = Map.groupBy([...new Set(codes)].sort(), (code) => PROBLEMS[code].status)
      return Object.fromEntries(
        [...byStatus].map(([status, of]) => [
          status,
          { $ref: `#/components/responses/${named(status, of)}` },
        ]),
      )
    },
    /** The forms alone, for a status that is an answer too. */
    forms: (codes: readonly ProblemCode[], status: number): ResponseObject['content'] => {
      const of = codes.filter((code) => PROBLEMS[code].status === status)
      return of.length === 0 ? {} : refusal(status, of, problem).content
    },
    components: (): Record<string, ResponseObject> => responses,
  }
}
export type Refusals = ReturnType<typeof createRefusals>

const refusal = (status: number, codes: readonly ProblemCode[], problem: JsonSchema): ResponseObject => ({
  description: codes.map((code) => PROBLEMS[code].title).join('; '),
  ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
  content: {
    [PROBLEM_TYPE]: {
      schema: { ...problem, properties: { code: { enum: codes } } },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
})
