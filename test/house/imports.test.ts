import { describe, expect, test } from 'vitest'
import { type Import, importsOf, readSource, repositoryFiles } from './sources.ts'

const sources = repositoryFiles().filter((path) => path.endsWith('.ts'))
const under = (folder: string) => sources.filter((path) => path.startsWith(`${folder}/`))
const ours = (imports: Import[]) => imports.filter(({ specifier }) => specifier.startsWith('.'))
const wrong = (folder: string, allowed: RegExp): string[] =>
  ours(under(folder).flatMap(importsOf))
    .filter(({ to }) => !allowed.test(to))
    .map(({ from, to }) => `${from} → ${to}`)

describe('design 1: api → engine/contract → ingest/contract, everybody → ops, and nothing else', () => {
  //  stages may import the parts of ops that are meant for them, not the machinery around them
  const OPS = 'ops/(?!sandbox/|supervise/|purchase/|scripts/)'
  test.each([
    ['api', new RegExp(`^(api/|engine/contract/|${OPS})`)],
    ['engine', new RegExp(`^(engine/|ingest/contract/|${OPS})`)],
    ['ingest', new RegExp(`^(ingest/|${OPS})`)],
    ['engine/contract', new RegExp(`^(engine/contract/|ingest/contract/|${OPS})`)],
    ['ingest/contract', new RegExp(`^(ingest/contract/|${OPS})`)],
    ['ops', /^ops\//],
    ['ops/sandbox', /^ops\/(?!supervise\/|purchase\/|scripts\/)/],
  ])('%s', (folder, allowed) => {
    expect(under(folder).length).toBeGreaterThan(0)
    expect(wrong(folder, allowed)).toEqual([])
  })

  test('the reader of imports sees every form of them', () => {
    const seen = importsOf('test/house/imports.test.ts').map(({ specifier }) => specifier)
    expect(seen).toEqual(expect.arrayContaining(['vitest', './sources.ts']))
    expect(importsOf('api/http/server.ts').map(({ specifier }) => specifier)).toContain('uWebSockets.js')
    expect(ours(sources.flatMap(importsOf)).length).toBeGreaterThan(100)
  })

  test('every import of a file of ours names a file that exists', () => {
    const known = new Set(repositoryFiles())
    expect(
      ours(sources.flatMap(importsOf))
        .filter(({ to }) => !known.has(to))
        .map(({ from, to }) => `${from} → ${to}`),
    ).toEqual([])
  })
})

describe('packages', () => {
  test('what runs in production is a dependency, not a development one', () => {
    const { dependencies } = JSON.parse(readSource('package.json')) as {
      dependencies: Record<string, string>
    }
    const production = sources.filter((path) => /^(api|engine|ingest|ops)\//.test(path))
    const sandboxOnly = /^(ops\/(sandbox|purchase)\/|engine\/scripts\/)/
    const missing = production
      .filter((path) => !sandboxOnly.test(path))
      .flatMap(importsOf)
      .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
      .map(({ from, specifier }) => ({ from, name: specifier.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? specifier }))
      .filter(({ name }) => !(name in dependencies))
    expect(missing).toEqual([])
  })
})

describe('style 10: ops/config.ts is the only reader of the environment', () => {
  test('main files hand it over, nobody else looks', () => {
    const handedOver = /\b(loadConfig|givenKeys|misspeltSettings|systemEnvironment)\(process\.env\b/g
    const set = /\bprocess\.env\.[A-Z_]+ = /g //  for a library that is configured this way: written, not read
    const readers = sources
      .filter((path) => /^(api|engine|ingest|ops)\//.test(path))
      .filter((path) => /\bprocess\.env\b/.test(readSource(path).replace(handedOver, '').replace(set, '')))
    expect(readers).toEqual([])
  })

  test('only main files and scripts load it', () => {
    const loaders = sources
      .filter((path) => /^(api|engine|ingest|ops)\//.test(path) && path !== 'ops/config.ts')
      .filter((path) => readSource(path).includes('process.env'))
      .filter((path) => !/\/(main|server)\.ts$|^ops\/(scripts|image)\//.test(path))
    expect(loaders).toEqual([])
  })
})
