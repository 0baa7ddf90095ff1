import { fold } from './fold.ts'

/**
 * "If the game ends in a tie, this market will resolve 50-50", "… to $0.50 for each team". The split must be stated for
 * the tie itself: the rest of the sentence may be about a game that is called off.
 */
const SPLIT =
  /\b(?:ends in|is declared|there is) a (?:tie|draw),? (?:then )?(?:this|the) market (?:will )?resolves? (?:to )?(?:50 ?[-/] ?50\b|\$0?\.50\b)/

/** Do the rules pay each side half when nobody wins? Where both venues do, the two sides are still exact opposites. */
export const splitsTie = (rules: string): boolean => SPLIT.test(fold(rules).toLowerCase())
