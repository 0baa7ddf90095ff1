import { BUYING } from './buying.ts'
import { FIELDS } from './fields.ts'
import { LIMITS } from './limits.ts'
import { PAYING } from './paying.ts'
import { READS_AND_RULES } from './reads.ts'
import { SELLING } from './selling.ts'
import type { Sentence } from './sentence.ts'

/** Every sentence of the specification, section by section. */
export const SENTENCES: readonly Sentence[] = [
  ...SELLING,
  ...FIELDS,
  ...READS_AND_RULES,
  ...BUYING,
  ...PAYING,
  ...LIMITS,
]
