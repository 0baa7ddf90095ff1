import { checkSync } from 'recheck'

/**
 * What recheck says of a pattern, counted in steps alone: by time a busy machine calls slow what is linear. One seed: with another each
 * time it once found an attack where its exact checker proves that there is none.
 */
export const statusOf = (source: string, flags: string) =>
  checkSync(source, flags, {
    timeout: null,
    seedingTimeout: null,
    incubationTimeout: null,
    attackTimeout: null,
    randomSeed: 1,
  }).status
