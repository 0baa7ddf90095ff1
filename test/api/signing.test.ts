import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadSigning } from '../../api/signing.ts'
import { type Config, ConfigError, loadConfig } from '../../ops/config.ts'

let dir: string
let config: Config
const write = (name: string, content: string | Buffer, mode = 0o600) => {
  const file = join(dir, name)
  writeFileSync(file, content)
  chmodSync(file, mode)
  return file
}
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'signing-'))
  const { privateKey } = generateKeyPairSync('ed25519')
  config = loadConfig(
    {
      RECEIVER_ADDRESS: `0x${'1'.repeat(40)}`,
      RECEIPT_KEY_FILE: write('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
      SERVICE_SECRET_FILE: write('secret', Buffer.alloc(32, 7)),
    },
    'api',
  )
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const problemsOf = (change: Partial<Config>): readonly string[] => {
  try {
    loadSigning({ ...config, ...change })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('SEC the files that money hangs on are looked at before anything starts', () => {
  test('both are as they should be', () => expect(problemsOf({})).toEqual([]))

  test('both are wrong: both are told', () => {
    const RECEIPT_KEY_FILE = write('none.pem', 'hello')
    const SERVICE_SECRET_FILE = write('short', Buffer.alloc(31))
    expect(problemsOf({ RECEIPT_KEY_FILE, SERVICE_SECRET_FILE })).toEqual([
      'SERVICE_SECRET_FILE: holds less than 32 bytes',
      'RECEIPT_KEY_FILE: is not a PEM private key',
    ])
  })

  test('a secret that everybody on the machine can read is none', () => {
    const SERVICE_SECRET_FILE = write('open', Buffer.alloc(32), 0o644)
    expect(problemsOf({ SERVICE_SECRET_FILE })).toEqual([
      'SERVICE_SECRET_FILE: is readable by everybody; chmod 600 it',
    ])
    expect(problemsOf({ SERVICE_SECRET_FILE: write('group', Buffer.alloc(32), 0o640) })).toEqual([])
  })

  test('a file that is not there', () => {
    expect(problemsOf({ SERVICE_SECRET_FILE: join(dir, 'absent') })).toEqual([
      'SERVICE_SECRET_FILE: cannot be read',
    ])
  })
})
