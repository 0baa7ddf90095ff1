import { ANSWERS } from './answers.ts'
import type { Family } from './family.ts'
import { OVERRIDES } from './overrides.ts'
import { REQUESTS } from './requests.ts'

/** What planted instructions are made of: one family an intention. */
export const PHRASE_FAMILIES = {
  ...OVERRIDES,
  ...REQUESTS,
  ...ANSWERS,
} as const satisfies Record<string, Family>

export type PhraseFamily = keyof typeof PHRASE_FAMILIES
