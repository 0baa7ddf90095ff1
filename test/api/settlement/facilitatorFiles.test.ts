import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configuredFacilitators } from '../../../api/settlement/facilitatorList.ts'
import { type Config, ConfigError } from '../../../ops/config.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'facilitators-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const AUTH = { verify: { authorization: 'planted' }, settle: {}, supported: {} }
const ONE = { url: 'https://a.example', auth: AUTH }
const CASES = [
  ['FACILITATORS_FILE', JSON.stringify([{ name: 'a', ...ONE }]), { name: 'a', ...ONE }],
  ['FACILITATOR_AUTH_FILE', JSON.stringify(AUTH), { name: 'facilitator', ...ONE }],
] as const

const read = (key: (typeof CASES)[number][0], file: string) => {
  const unset = { FACILITATORS_FILE: '', FACILITATOR_AUTH_FILE: '', FACILITATOR_URL: ONE.url }
  return configuredFacilitators({ MODE: 'live', ...unset, [key]: file } as Config)
}

describe.each(CASES)('%s holds the headers that a facilitator knows us by', (key, text, entry) => {
  const write = (mode: number) => {
    const file = join(dir, key)
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }

  test('readable by the owner, or the group besides: read', () => {
    expect(read(key, write(0o600))).toEqual([entry])
    expect(read(key, write(0o640))).toEqual([entry])
  })

  test('readable by everybody: refused, and told how to mend it', () => {
    const file = write(0o644)
    expect(() => read(key, file)).toThrow(new ConfigError([`${key}: is readable by everybody; chmod 600 it`]))
  })

  test('absent: refused', () => {
    const absent = join(dir, 'absent')
    expect(() => read(key, absent)).toThrow(new ConfigError([`${key}: cannot be read`]))
  })
})
