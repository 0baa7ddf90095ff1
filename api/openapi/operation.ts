import type { z } from 'zod'
import type { ProblemCode } from '../errors.ts'
import type { Facts } from '../storefront/facts.ts'
import type { HeaderName } from './headers.ts'
import type { SchemeName } from './tokens.ts'

/** Groups of operations, in the order they are shown. */
export const TAGS = {
  markets: 'Cross-venue market data',
  utility: 'Utility reads: a text in, findings out; and DNS',
  receipts: 'Receipts: proof of payment, and statements',
  feeds: 'Tokens for the alpha feed, and the feed itself',
  access: 'Hour pass, tool permits and licences',
  credits: 'Prepaid store credit',
  classic: 'Classic purchase: intent, payment on any rail, fulfilment',
  card: 'Card checkout, for people',
  community: 'Feedback, patrons, referrals, reminders',
  free: 'Free samples and history',
  discovery: 'What is sold, for programs',
  pages: 'For people, and for agents on the same address',
} as const
export type Tag = keyof typeof TAGS

/** One parameter. Without a schema it is a string. */
export type ParameterRecord = {
  in: 'query' | 'header' | 'path'
  name: string
  required?: boolean
  description: string
  example: string | number | boolean
  schema?: z.ZodType
}

/** One form of an answer. Without a schema it is text; `message` is what each event of a stream holds. */
export type Content = { schema?: z.ZodType; example?: unknown; message?: z.ZodType }

/** One status. `content` by media type; without any the answer has no body. */
export type Answer = {
  description: string
  content?: Readonly<Record<string, Content>>
  headers?: readonly HeaderName[] // besides those of any answer
}

/** One route, as it is described. */
export type Operation = {
  method: 'GET' | 'POST'
  path: `/${string}` //  {name} stands for one segment
  id: string
  tag: Tag
  summary: string
  description?: string
  parameters?: readonly ParameterRecord[]
  body?: { schema: z.ZodType; example: unknown; limit: string } // JSON
  answers: Readonly<Record<number, Answer>>
  problems?: readonly ProblemCode[] // refusals, besides those of every path
  token?: readonly SchemeName[] //     bearer token in a header, one of them
  extensions?: Readonly<Record<`x-${string}`, unknown>>
  when?(facts: Facts): boolean //      whether it is served; absent: always
}

/** Content that is JSON only. */
export const json = (schema: z.ZodType, example: unknown): Answer['content'] => ({
  'application/json': { schema, example },
})

/** The bound of a body, in words. */
export const atMost = (bytes: number): string => `At most ${bytes / 1024} KiB`

export const AGENT_ID: ParameterRecord = {
  in: 'header',
  name: 'x-agent-id',
  description: 'Stable id of the agent, 1 to 128 visible ASCII characters; the same as buyerId in bodies',
  example: 'agent-7f3c',
}
