import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { REPOSITORY, run } from '../support/process.ts'
import { readSource, repositoryFiles } from './sources.ts'

const files = repositoryFiles()
const top = [...new Set(files.map((path) => path.split('/')[0]!))]

describe('design 1: the top level holds exactly', () => {
  const FOLDERS = ['api', 'engine', 'ingest', 'ops', 'test']
  const FILES = ['package.json', 'tsconfig.json', 'docker-compose.yml']
  const PAPERS = ['README.md', 'LICENSE', 'package-lock.json', '.ci', '.gitignore', '.npmrc', '.dockerignore']
  const USUAL = ['biome.json', '.editorconfig', '.gitattributes', '.github', 'CHANGELOG.md', 'SECURITY.md']

  test('the folders, the files and the usual papers', () => {
    expect([...FOLDERS, ...FILES, ...PAPERS].filter((name) => !top.includes(name))).toEqual([])
  })

  test('and nothing else', () => {
    expect(top.filter((name) => ![...FOLDERS, ...FILES, ...PAPERS, ...USUAL].includes(name))).toEqual([])
  })
})

describe('what must not be in the repository', () => {
  test('OPS-10 the lock file seals every package, and names no registry and no other host', () => {
    const lock = readSource('package-lock.json')
    expect(lock.match(/"resolved"/g)).toBeNull()
    const packages = (
      JSON.parse(lock) as { packages: Record<string, { integrity?: string; link?: boolean }> }
    ).packages
    const unsealed = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity) //  git, file, link
    expect(unsealed.map(([path]) => path)).toEqual([])
  })

  test('OPS-10 npm run sbom lists every package of the lock file with its checksum, and names no host', async () => {
    const npm = run('npm', ['run', '--silent', 'sbom'])
    expect(await npm.exited).toEqual({ code: 0, signal: null })
    const { components } = JSON.parse(npm.stdout()) as {
      components: { name: string; version: string; hashes?: unknown[] }[]
    }
    const { packages } = JSON.parse(readSource('package-lock.json')) as {
      packages: Record<string, { version: string }>
    }
    const locked = Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
    const listed = components.map(({ name, version }) => `${name}@${version}`)
    expect(locked.filter((each) => !listed.includes(each))).toEqual([])
    expect(components.filter(({ hashes }) => !hashes?.length)).toEqual([])
    expect(npm.stdout()).not.toMatch(/"(distribution|url)": *"http/)
  })

  test('OPS-12 what runs at installation is what package.json allows, by name', () => {
    const { packages } = JSON.parse(readSource('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean; os?: string[] }>
    }
    const { allowScripts } = JSON.parse(readSource('package.json')) as {
      allowScripts: Record<string, boolean>
    }
    const running = Object.entries(packages)
      .filter(([, { hasInstallScript, os }]) => hasInstallScript && (os ?? ['linux']).includes('linux'))
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(running.length).toBeGreaterThan(0)
    expect(running.filter((name) => allowScripts[name] !== true)).toEqual([])
  })

  test('ENT-18 nothing that is sold, issued or signed is drawn from Math.random', () => {
    const drawing = files.filter(
      (path) => /^api\/.*\.ts$/.test(path) && /Math\.random/.test(readSource(path)),
    )
    expect(drawing).toEqual([])
  })

  test('ENT-18 nor is a token, a secret or an id of a purchase made of the time: what makes them reads no clock', () => {
    const makers =
      /^api\/(entitlements\/(token|redemption|issue|grant)|payment\/intentId|community\/secret|http\/requestIds)\.ts$/
    const made = files.filter((path) => makers.test(path))
    expect(made).toHaveLength(7)
    const timed = made.filter((path) =>
      /Date\.now|new Date\(\)|hrtime|performance\.|Clock\b/.test(readSource(path)),
    )
    expect(timed).toEqual([])
  })

  test('npm configuration names no registry', () => {
    expect(readSource('.npmrc')).not.toMatch(/registry|_auth|token/i)
  })

  test('no private key and no compiled bytecode', () => {
    const suspicious = files
      .filter((path) => /\.(ts|sol|json|sh|yml|yaml|md)$/.test(path) && path !== 'package-lock.json')
      .filter((path) => /-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/]/.test(readSource(path)))
    expect(suspicious).toEqual([])
    expect(files.filter((path) => /\.(bin|wasm|node|so|dylib)$/.test(path))).toEqual([])
  })
})

describe('style: files stay small enough to read', () => {
  test('no source file beyond 350 lines', () => {
    const long = files
      .filter((path) => /^(api|engine|ingest|ops)\/.*\.(ts|lua)$/.test(path))
      .filter((path) => readSource(path).split('\n').length > 351)
    expect(long).toEqual([])
  })
})

describe('design 2: one command up, one command green', () => {
  test.each(['ops/start', 'ops/test', '.ci/run', 'ops/buy'])('%s is executable bash', async (path) => {
    expect(statSync(join(REPOSITORY, path)).mode & 0o111).toBe(0o111)
    expect(readSource(path).startsWith('#!/usr/bin/env bash\n')).toBe(true)
    expect(await run('bash', ['-n', path]).exited).toEqual({ code: 0, signal: null })
  })

  test('.ci/run calls ops/test', () => {
    expect(readSource('.ci/run')).toContain('ops/test')
  })

  test('the scripts of package.json name files and packages that exist', () => {
    const { scripts } = JSON.parse(readSource('package.json')) as { scripts: Record<string, string> }
    const named = Object.values(scripts).flatMap((script) =>
      script.split(' ').filter((word) => /^\.?\/?(ops|test|engine|ingest|api)\//.test(word)),
    )
    expect(named.length).toBeGreaterThan(0)
    expect(named.map((path) => path.replace(/^\.\//, '')).filter((path) => !files.includes(path))).toEqual([])
  })
})
