import { sizeOf } from './sizeOf.ts'

/** Inputs below this are worked out on the event loop: they cost up to a millisecond, a trip to a thread 0.3. */
export const INLINE_CHARS = 256

/** Whether a thread works it out. Goods ask it also in processes that have no threads and need not load them. */
export const isLong = (input: unknown): boolean => sizeOf(input) >= INLINE_CHARS
