import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { REPOSITORY, run } from '../support/process.ts'
import { importsOf, readSource, repositoryFiles } from './sources.ts'

describe('OPS-11: uWebSockets.js is the build that was looked at, and known to one file', () => {
  test('one file of the service imports it', () => {
    const importers = repositoryFiles()
      .filter((path) => /^(api|engine|ingest|ops)\/.*\.ts$/.test(path))
      .filter((path) => importsOf(path).some(({ specifier }) => specifier === 'uWebSockets.js'))
    expect(importers).toEqual(['api/http/server.ts'])
  })

  test('the package is pinned to one version of one repack', () => {
    const { dependencies } = JSON.parse(readSource('package.json')) as {
      dependencies: Record<string, string>
    }
    expect(dependencies['uWebSockets.js']).toBe('npm:uws-pack@20.0.8')
  })

  //  other platforms load another file of the same package, whose tarball the lock file's integrity covers
  test.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'the binary that Node loads has the pinned SHA-256 (platform.md)',
    async () => {
      const script = `
        await import('uWebSockets.js')
        const { sharedObjects } = process.report.getReport()
        console.log(JSON.stringify(sharedObjects.filter((path) => path.includes('uws'))))`
      const child = run(process.execPath, ['--input-type=module', '-e', script])
      expect((await child.exited).code).toBe(0)
      const loaded = JSON.parse(child.stdout()) as string[]
      expect(loaded).toHaveLength(1)
      expect(loaded[0]!.startsWith(join(REPOSITORY, 'node_modules/uWebSockets.js/'))).toBe(true)
      expect(createHash('sha256').update(readFileSync(loaded[0]!)).digest('hex')).toBe(
        '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
      )
    },
  )
})
