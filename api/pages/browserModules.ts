import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename } from 'node:path'
import { type Asset, asset } from './asset.ts'

const IMPORT = /^(import|export) [^'"]*? from '([^']+)'|^import '([^']+)'/gm

/**
 * A script of ours and all it imports, as a browser takes them: types stripped, as Node does for the server, and each
 * import naming its file with the hash of what is in it. Dependencies first, the script last.
 * @throws when a file imports a package: a page loads nothing but our own few files.
 */
export function browserModules(entry: URL): Asset[] {
  const made = new Map<string, Asset>()
  const make = (file: URL): Asset => {
    const known = made.get(file.href)
    if (known !== undefined) return known
    const code = stripped(readFileSync(file, 'utf8')).replace(IMPORT, (statement, _, from, bare) => {
      const specifier: string = from ?? bare
      if (!specifier.startsWith('.')) throw new Error(`${file.pathname} imports ${specifier}`)
      return statement.replace(`'${specifier}'`, `'${make(new URL(specifier, file)).path}'`)
    })
    const done = asset(basename(file.pathname, '.ts'), 'js', code)
    made.set(file.href, done)
    return done
  }
  make(entry)
  return [...made.values()]
}

/** Node warns that this function is experimental; it is what runs every file of the service. */
function stripped(code: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(code)
  } finally {
    process.emitWarning = emitWarning
  }
}
