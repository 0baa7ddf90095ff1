import { z } from 'zod'

/** The closed list of what the repair may do. Each keeps the reader's data as it is; none adds a name or a value. */
export const CHANGES = {
  code_fence: 'text outside the fenced block, with the fence, left out',
  comment: 'comment left out',
  trailing_comma: 'comma before a closer left out',
  quote: 'quote mark changed to a double one',
  escape: 'character or escape inside a string spelled as JSON spells it',
  control_character: 'raw control character inside a string escaped',
  unquoted_key: 'name put in quotes',
  python_constant: 'True, False or None spelled as in JSON',
  number_form: 'plus sign left out, or the zero written that a leading or trailing dot stands for',
  white_space: 'white space JSON does not know changed to a space',
  missing_comma: 'comma written between two whole members',
  missing_colon: 'colon written between a quoted name and its value',
  missing_closer: 'closing brackets written at the end, after a whole value',
} as const

export type ChangeKind = keyof typeof CHANGES

/**
 * Replace `length` characters of the input at `offset` by `text`. Offsets count UTF-16 code units of the input and do
 * not overlap, so all changes together turn the input into the repaired text.
 */
export const Change = z.object({
  kind: z.enum(Object.keys(CHANGES) as [ChangeKind, ...ChangeKind[]]),
  offset: z.int().nonnegative(),
  length: z.int().nonnegative(),
  text: z.string(),
})
export type Change = z.infer<typeof Change>

/** @param changes ascending by offset, not overlapping. */
export function applyChanges(text: string, changes: readonly Change[]): string {
  let changed = ''
  let at = 0
  for (const { offset, length, text: insert } of changes) {
    changed += text.slice(at, offset) + insert
    at = offset + length
  }
  return changed + text.slice(at)
}
