import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { replaceFile } from '../../ops/replaceFile.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-replace-'))
})
afterEach(() => rm(dir, { recursive: true }))

describe('a file that is replaced', () => {
  test('is the new one, its owner’s alone, with nothing beside it', async () => {
    const file = join(dir, 'state')
    await replaceFile(file, 'old')
    await replaceFile(file, Buffer.from('new'))
    expect(await readFile(file, 'utf8')).toBe('new')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(dir)).toEqual(['state'])
  })
  test('that cannot be leaves nothing of the new one behind, which a full disk has no room for', async () => {
    const file = join(dir, 'state')
    await mkdir(file)
    await expect(replaceFile(file, 'new')).rejects.toThrow('EISDIR')
    expect(await readdir(dir)).toEqual(['state'])
  })
})
