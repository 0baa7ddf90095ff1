import { BUYING } from './buying.ts'
import { LIMITS } from './limits.ts'
import { PAYING } from './paying.ts'
import type { Sentence } from './sentence.ts'

/** Every sentence of the specification about buying, paying, entitlements, receipts and limits (4.2, 5, 7, 8). */
export const SENTENCES: readonly Sentence[] = [...BUYING, ...PAYING, ...LIMITS]
