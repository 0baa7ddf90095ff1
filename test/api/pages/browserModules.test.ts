import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserModules } from '../../../api/pages/browserModules.ts'
import { REPOSITORY } from '../../support/process.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-modules-'))
})
afterAll(() => rm(dir, { recursive: true }))
const file = async (name: string, text: string) => {
  await writeFile(join(dir, name), text)
  return pathToFileURL(join(dir, name))
}

describe('a script of ours as a browser takes it', () => {
  test('no types, and every import names what is served', async () => {
    await file('b.ts', 'export const b = (x: number): number => x\n')
    const entry = await file(
      'a.ts',
      "import type { T } from './types.ts'\nimport { b } from './b.ts'\nexport const a: number = b(1)\n",
    )
    const assets = browserModules(entry)
    expect(assets.map(({ path }) => path)).toEqual([
      expect.stringMatching(/^\/assets\/b-[0-9a-f]{12}\.js$/),
      expect.stringMatching(/^\/assets\/a-[0-9a-f]{12}\.js$/),
    ])
    const [, last] = assets
    expect(last!.body.toString()).toContain(`from '${assets[0]!.path}'`)
    expect(last!.body.toString()).not.toMatch(/number|types/)
  })

  test('a change in a file changes the names of all that load it', async () => {
    const entry = pathToFileURL(join(dir, 'a.ts'))
    const before = browserModules(entry).map(({ path }) => path)
    await file('b.ts', 'export const b = (x: number): number => x + 1\n')
    const after = browserModules(entry).map(({ path }) => path)
    expect(after.filter((path) => before.includes(path))).toEqual([])
  })

  test('a package is refused', async () => {
    const entry = await file('c.ts', "import { z } from 'zod'\nexport const c = z\n")
    expect(() => browserModules(entry)).toThrow(/imports zod/)
  })

  test('the live page: only files of its own folder, none of them large', () => {
    const assets = browserModules(new URL('../../../api/pages/client/live.ts', import.meta.url))
    const bytes = assets.reduce((sum, { body }) => sum + body.length, 0)
    expect(bytes).toBeLessThan(40_000)
    for (const { path } of assets) {
      const name = path.replace(/^\/assets\/(.*)-[0-9a-f]+\.js$/, '$1')
      const places = ['client', 'live', '.'].map((folder) =>
        join(REPOSITORY, 'api/pages', folder, `${name}.ts`),
      )
      expect(places.some((place) => existsSync(place))).toBe(true)
    }
  })
})
