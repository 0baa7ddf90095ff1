import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { PROGRAMS, ROOT } from './programs.ts'

/** Packages that load native code, or start threads from files of their own. */
const AS_THEY_ARE = ['uWebSockets.js', 'secp256k1', 'piscina', 'pino', 'chdb', 'rolldown']

/** A module goes on finding what lies beside its source. */
const besideTheSource: Plugin = {
  name: 'beside-the-source',
  transform(code, id) {
    if (!/import\.meta\.(url|filename|dirname)|\b__(dirname|filename)\b/.test(code) || id.startsWith('\0'))
      return null
    const text = (value: string) => JSON.stringify(value)
    return code
      .replaceAll('import.meta.url', text(pathToFileURL(id).href))
      .replaceAll(/\bimport\.meta\.filename\b|\b__filename\b/g, text(id))
      .replaceAll(/\bimport\.meta\.dirname\b|\b__dirname\b/g, text(dirname(id)))
  },
}

/** Writes every program into `dir`, under the path of its source. What two of them share is written once. */
export async function bundle(dir: string, programs: readonly string[] = PROGRAMS): Promise<void> {
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(programs.map((program) => [program.replace(/\.ts$/, ''), program])),
    platform: 'node',
    external: AS_THEY_ARE.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [besideTheSource],
  })
  await build.write({ dir, format: 'esm', chunkFileNames: 'shared/[name]-[hash].js' })
  await build.close()
}
