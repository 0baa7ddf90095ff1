import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NODE, REPOSITORY, run } from '../process.ts'
import { builtFile, PROGRAMS, ROOT } from './programs.ts'

/** A small tree with this folder in it, so that its one program can be changed. */
let tree: string
const text = (value: string) => JSON.stringify(value)
const PROGRAM = 'ops/purchase/main.ts'
const SOURCE = `import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
const beside = readFileSync(new URL('./words.txt', import.meta.url), 'utf8')
const later = await import(${text('./later.ts')})
const { REAPER } = await import(${text('../supervise/reaper.ts')})
const { page } = await import(${text('../../api/pages/browserModules.ts')})
const name = basename(import.meta.filename)
process.stdout.write(JSON.stringify({ argv: process.argv.slice(2), beside, later: later.word, name, starts: REAPER, page }))
`
/** Contents of two files that the bundler treats specially, by their path. */
const STARTER = `export const REAPER = new URL('reaperMain.ts', import.meta.url).pathname\n`
const STRIPPER = `import { stripTypeScriptTypes } from 'node:module'
process.emitWarning = () => {} //  that this function is experimental
export const page: string = stripTypeScriptTypes('const a: number = 1')
`
const HERE = 'test/support/build'
const START = `import { ensureBuilt } from ${text(`./${HERE}/built.ts`)}
import { builtFile } from ${text(`./${HERE}/programs.ts`)}
const file = builtFile(await ensureBuilt(), '${PROGRAM}')
process.stdout.write(file + '\\n')
await import(file)
`

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'microdata-build-'))
  for (const folder of ['api/pages', 'engine', 'ingest', 'ops/purchase', 'ops/supervise'])
    await mkdir(join(tree, folder), { recursive: true })
  await cp(join(REPOSITORY, HERE), join(tree, HERE), { recursive: true })
  const programs = join(tree, HERE, 'programs.ts')
  const text = await readFile(programs, 'utf8')
  await writeFile(
    programs,
    text.replace(/PROGRAMS = \[[^;]*?\n\] as const/, `PROGRAMS = ['${PROGRAM}'] as const`),
  )
  await writeFile(join(tree, PROGRAM), SOURCE)
  await writeFile(join(tree, 'ops/supervise/reaper.ts'), STARTER)
  await writeFile(join(tree, 'api/pages/browserModules.ts'), STRIPPER)
  await writeFile(join(tree, 'start.ts'), START)
  await writeFile(join(tree, 'ops/purchase/later.ts'), `export const word: string = 'first'\n`)
  await writeFile(join(tree, 'ops/purchase/words.txt'), 'beside.')
  await writeFile(join(tree, 'package.json'), '{"type":"module"}')
  await writeFile(join(tree, 'package-lock.json'), '{}')
  await symlink(join(REPOSITORY, 'node_modules'), join(tree, 'node_modules'))
})

afterAll(async () => {
  await rm(tree, { recursive: true, force: true })
})

const start = async (...args: string[]) => {
  const running = run(NODE, ['start.ts', ...args], { cwd: tree })
  const { code } = await running.exited
  const [file, said = ''] = running.stdout().split('\n')
  return { code, stderr: running.stderr(), file, said: code === 0 ? JSON.parse(said) : null }
}
const builds = () => readdir(join(tree, '.build'))

describe('what is started is built from the sources as they are', () => {
  test('every program is a source file', () => {
    expect(PROGRAMS.filter((program) => !existsSync(join(ROOT, program)))).toEqual([])
  })

  test('a program gets its arguments, finds what lies beside its source, and loads the rest when it needs it', async () => {
    const { file, said, stderr } = await start('list', '--json')
    expect(stderr).toBe('')
    expect(said).toMatchObject({
      argv: ['list', '--json'],
      beside: 'beside.',
      later: 'first',
      name: 'main.ts',
    })
    expect(file).toContain('/.build/')
  })

  test('a program that it starts is the one of its build', async () => {
    const { file, said } = await start()
    expect(said.starts).toBe(file!.replace('ops/purchase/main.js', 'ops/supervise/reaperMain.js'))
  })

  test('a script of a page has its types stripped once, and later starts read it', async () => {
    const { file, said } = await start()
    const kept = join(file!.replace('ops/purchase/main.js', ''), HERE, 'stripped')
    expect(said.page).toBe('const a         = 1')
    const [name, ...others] = await readdir(kept)
    expect(others).toEqual([])
    await writeFile(join(kept, name!), 'const a = 2')
    expect((await start()).said.page).toBe('const a = 2')
  })

  test('nothing changed: nothing is built again', async () => {
    const before = await builds()
    await start()
    expect(await builds()).toEqual(before)
  })

  test('a change in any source is in the next start, and the former build stays for those who run it', async () => {
    const before = await builds()
    await writeFile(join(tree, 'ops/purchase/later.ts'), `export const word: string = 'second'\n`)
    expect((await start()).said.later).toBe('second')
    expect(await builds()).toHaveLength(before.length + 1)
  })

  test('many at once: each runs, one build is left', async () => {
    await rm(join(tree, '.build'), { recursive: true })
    const all = await Promise.all(Array.from({ length: 4 }, () => start()))
    expect(all.map(({ code, said }) => [code, said?.later])).toEqual(Array(4).fill([0, 'second']))
    expect(await builds()).toHaveLength(1)
  })

  test('three builds are kept, older ones go when nobody has used them for a day', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await mkdir(join(tree, '.build', name))
    const now = Date.now() / 1_000
    for (const [name, agoS] of [
      ['a', 90_000],
      ['b', 90_001],
      ['c', 90_002],
      ['d', 60],
    ] as const)
      await utimes(join(tree, '.build', name), now - agoS, now - agoS)
    await writeFile(join(tree, 'ops/purchase/later.ts'), `export const word: string = 'third'\n`)
    await start()
    const left = await builds()
    expect(left).toContain('d')
    expect(left).toHaveLength(3)
  })

  test('a program that would run another one by loading a part of its file is not built', async () => {
    await writeFile(join(tree, 'ops/purchase/other.ts'), `await import(${text('./main.ts')})\n`)
    const both = [PROGRAM, 'ops/purchase/other.ts']
    const build = `import { bundle } from ${text(`./${HERE}/bundle.ts`)}\nawait bundle('both', 'both', ${JSON.stringify(both)})`
    await writeFile(join(tree, 'both.ts'), build)
    const running = run(NODE, ['both.ts'], { cwd: tree })
    expect((await running.exited).code).not.toBe(0)
    expect(running.stderr()).toContain('other.js loads a part of ops/purchase/main.js')
  })

  test('a source that cannot be built stops the start and says where', async () => {
    await writeFile(join(tree, 'ops/purchase/later.ts'), 'export const word: string = (\n')
    const { code, stderr } = await start()
    expect(code).not.toBe(0)
    expect(stderr).toContain('later.ts')
    expect((await builds()).filter((name) => name.includes('.'))).toEqual([])
  })
})

describe('what is started when there is no build', () => {
  test('the source', () => {
    expect(builtFile('', 'api/main.ts')).toBe(join(ROOT, 'api/main.ts'))
    expect(builtFile(join(ROOT, '.build/none'), 'api/main.ts')).toBe(join(ROOT, 'api/main.ts'))
  })
})
