import { fold } from './fold.ts'

/** "If the game ends in a tie, this market will resolve 50-50", "… to $0.50 for each team". */
const SPLIT = /\b(?:tie|tied|draw)\b[^.]{0,120}?(?:\b50 ?[-/] ?50\b|\$0?\.50\b|\b50 ?(?:cents|%))/i

/** Do the rules pay each side half when nobody wins? Where both venues do, one side is the exact opposite of the other all the same. */
export const splitsTie = (rules: string): boolean => SPLIT.test(fold(rules))
