import type { Phrase } from './grammar.ts'

/**
 * Phrases of one intention, in the notation of `grammar.ts`. `weight` is how much one such phrase alone raises the risk score
 * (0–1); 0.5 and more reaches the threshold by itself.
 */
export type Family = { title: string; phrases: readonly { weight: number; any: readonly Phrase[] }[] }
