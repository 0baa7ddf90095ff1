import { pathToFileURL } from 'node:url'
import { ensureBuilt } from './built.ts'
import { builtFile } from './programs.ts'

/** `node ops/build/run.ts <program> [arguments]`: builds what has changed since the last time, then is that program. */
const [node, , program, ...args] = process.argv as [string, string, string, ...string[]]
const file = builtFile(await ensureBuilt(), program)
process.argv = [node, file, ...args]
await import(pathToFileURL(file).href)
