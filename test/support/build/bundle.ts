import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, type RolldownOutput, rolldown } from 'rolldown'
import { PROGRAMS, ROOT } from './programs.ts'

/** Packages that load native code, start threads from files of their own, or look for their pages. */
const AS_THEY_ARE = ['uWebSockets.js', 'secp256k1', 'piscina', 'chdb', 'rolldown', '@bull-board']

/** Modules whose relative paths lead into the build: to a program they start, by its source's name, or kept files. */
const OF_THE_BUILD = [
  'ops/supervise/plan.ts',
  'ops/supervise/reaper.ts',
  'api/goods/utility/pool/pool.ts',
  'test/support/build/stripped.ts',
]

/** All other modules still find what lies beside their source. @param home where the build will finally be. */
const besideTheSource = (home: string): Plugin => ({
  name: 'beside-the-source',
  transform(code, id) {
    if (!/import\.meta\.(url|filename|dirname)|\b__(dirname|filename)\b/.test(code) || id.startsWith('\0'))
      return null
    const source = relative(ROOT, id)
    const isOfTheBuild = OF_THE_BUILD.includes(source)
    const place = isOfTheBuild ? join(home, source) : id
    const text = (value: string) => JSON.stringify(value)
    return (isOfTheBuild ? code.replaceAll(/(?<!\bfrom )'([^']+)\.ts'/g, "'$1.js'") : code)
      .replaceAll('import.meta.url', text(pathToFileURL(place).href))
      .replaceAll(/\bimport\.meta\.filename\b|\b__filename\b/g, text(place))
      .replaceAll(/\bimport\.meta\.dirname\b|\b__dirname\b/g, text(dirname(place)))
  },
})

/** Stripping the scripts of our pages takes a fifth of the CPU of an api's start, so a build does it only once. */
const strippedOnce: Plugin = {
  name: 'stripped-once',
  resolveId: (name, importer) =>
    name === 'node:module' && importer === join(ROOT, 'api/pages/browserModules.ts')
      ? join(ROOT, 'test/support/build/stripped.ts')
      : null,
}

const BUILTIN = '\0builtin:'
/**
 * Node's own modules as the objects that they are. Linking them as modules reads each of their properties, and that of
 * node:http loads a second undici: a twentieth of the CPU of a start.
 */
const builtinsAsObjects: Plugin = {
  name: 'builtins-as-objects',
  resolveId: (name, importer, { kind }) =>
    kind === 'import-statement' && isBuiltin(name) && !importer?.startsWith('\0') ? BUILTIN + name : null,
  load: (id) =>
    id.startsWith(BUILTIN)
      ? `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(BUILTIN.length))})`
      : null,
}

/**
 * Writes every program into `dir`, under the path of its source. What two of them share is written once.
 * @param home the folder that the programs will be started from.
 */
export async function bundle(
  dir: string,
  home: string,
  programs: readonly string[] = PROGRAMS,
): Promise<void> {
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(programs.map((program) => [program.replace(/\.ts$/, ''), program])),
    platform: 'node',
    external: AS_THEY_ARE.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [besideTheSource(home), strippedOnce, builtinsAsObjects],
  })
  const { output } = await build.write({ dir, format: 'esm', chunkFileNames: 'shared/[name]-[hash].js' })
  await build.close()
  refuseProgramsInside(output)
}

/** A part that the bundler puts into the file of a program would run that program wherever it is loaded. */
function refuseProgramsInside(output: RolldownOutput['output']): void {
  const chunks = output.filter((file) => file.type === 'chunk')
  const programs = new Set(chunks.flatMap(({ isEntry, fileName }) => (isEntry ? fileName : [])))
  for (const { fileName, imports, dynamicImports } of chunks)
    for (const part of [...imports, ...dynamicImports])
      if (programs.has(part)) throw new Error(`${fileName} loads a part of ${part}, and would run it`)
}
