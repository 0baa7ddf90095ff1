import { existsSync } from 'node:fs'

const SETPRIV = '/usr/bin/setpriv'

/**
 * The command of a store or chain that the kernel ends with the process that starts it, however that ends: after
 * `kill -9` nobody else would. It becomes the named program itself, so it keeps its process id. Where there is no
 * setpriv it is started as it is.
 */
export const tied = (command: string, args: string[]): [command: string, args: string[]] =>
  existsSync(SETPRIV) ? [SETPRIV, ['--pdeathsig', 'KILL', command, ...args]] : [command, args]
