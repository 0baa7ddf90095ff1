/** Why a text is not repaired: what was met first, in the buyer's terms. A closed list. */
export const REASONS = {
  too_large: 'The text is longer than this read accepts.',
  lone_surrogate: 'A string holds half of a surrogate pair, which is no character.',
  empty: 'There is no value in the text.',
  too_deep: 'Brackets are nested deeper than this read follows.',
  not_json: 'Something here is not JSON and has no listed repair.',
  bare_word: 'A word without quotes is not a value; none was made up.',
  not_a_number: 'This is not a JSON number and its meaning would be a guess.',
  unknown_escape: 'JSON does not know this escape; its meaning would be a guess.',
  mixed_quotes: 'The opening and the closing quote differ, so the end of the string would be a guess.',
  string_not_closed: 'A string has no end.',
  comment_not_closed: 'A comment has no end.',
  name_missing: 'A name was expected; none was made up.',
  value_missing: 'A value was expected; none was made up.',
  colon_missing: 'A colon was expected after a name.',
  comma_missing: 'A comma or a closing bracket was expected.',
  wrong_closer: 'A closing bracket does not match the open one.',
  cut_off: 'The text ends inside a value, or where one may be cut short.',
  text_after: 'Text follows the document.',
  several_documents: 'Several fenced blocks are JSON; which one is meant would be a guess.',
} as const

export type Reason = keyof typeof REASONS

/** @param offset where reading stopped, in UTF-16 code units of the input. */
export type Refusal = { reason: Reason; offset: number }

export const refuse = (reason: Reason, offset: number): Refusal => ({ reason, offset })

export const isRefusal = (value: object | null): value is Refusal => value !== null && 'reason' in value
