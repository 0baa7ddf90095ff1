import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Looks through the whole heap now. */
export const collectAll: () => void = runInNewContext('gc')
