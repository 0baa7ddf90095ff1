import { z } from 'zod'
import { Change } from './change.ts'
import { REASONS, type Reason } from './refusal.ts'

/** Changes listed in an answer; `changeCount` counts all of them. */
export const MAX_LISTED_CHANGES = 500

/** The text as JSON. `repaired` keeps the spelling of every number and every repeated name. */
export const Repaired = z.object({
  ok: z.literal(true),
  repaired: z.string(),
  changes: z
    .array(Change)
    .max(MAX_LISTED_CHANGES)
    .describe('Ascending; empty when the text was JSON already'),
  changeCount: z.int().nonnegative(),
  value: z
    .unknown()
    .optional()
    .describe('`repaired`, parsed; left out when a number is too large for a binary64'),
  valueExact: z
    .boolean()
    .describe('False: a number in `value` was rounded, or `value` is left out; read `repaired`'),
})

/** The text is not JSON and was not made JSON. There is no repaired text and no value: nothing is made up. */
export const NotRepaired = z.object({
  ok: z.literal(false),
  changes: z.array(Change).max(0),
  reason: z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]),
  offset: z.int().nonnegative().describe('Where reading stopped, in UTF-16 code units of the text'),
  detail: z.string(),
})

export const JsonRepair = z.discriminatedUnion('ok', [Repaired, NotRepaired])
export type JsonRepair = z.infer<typeof JsonRepair>
