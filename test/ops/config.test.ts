import { describe, expect, test } from 'vitest'
import { ConfigError, Environment, loadConfig } from '../../ops/config.ts'

const base = {
  RECEIVER_ADDRESS: `0x${'1'.repeat(40)}`,
  RECEIPT_KEY_FILE: '/receipt.pem',
  SERVICE_SECRET_FILE: '/secret',
}
const live = { ...base, MODE: 'live', TRUSTED_PROXIES: '10.0.0.1', PUBLIC_URL: 'https://api.example.com' }

/** The words of the refusal; null: it starts. */
function refusal(env: Record<string, string>): string | null {
  try {
    loadConfig(env, 'api')
    return null
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

describe('10. PUBLIC_URL is an origin: every address that buyers see is it and a path', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.Example.com:443', 'https://api.example.com'],
    ['https://api.example.com:8443/', 'https://api.example.com:8443'],
    ['https://xn--mller-kva.example', 'https://xn--mller-kva.example'],
    ['https://[2001:DB8::1]:8443', 'https://[2001:db8::1]:8443'],
  ])('%s is %s', (PUBLIC_URL, publicUrl) => {
    const config = loadConfig({ ...live, PUBLIC_URL }, 'api')
    expect([config.publicUrl, config.PUBLIC_URL]).toEqual([publicUrl, publicUrl])
  })

  test.each([
    'https:',
    'https://',
    'https:///',
    'https:s3cret.example',
    'https:/s3cret.example',
    'https://s3cret example.com',
    ' https://s3cret.example.com',
    'https://s3cret.example.com\n',
    'https://s3cret"example.com',
    'https://s3cret.example.com/v1',
    'https://s3cret.example.com//',
    'https://s3cret.example.com/?x',
    'https://s3cret.example.com?',
    'https://s3cret.example.com/#a',
    'https://user:s3cret@example.com',
    'https://s3cret@example.com',
    'https://@s3cret.example.com',
    'https://s3cret.example.com:',
    'https://s3cret.example.com:65536',
    'https://[s3cret',
    'https://s3cret.example.com,https://b.example',
    'https://s3cret.example.com,b.example',
    'https://s3cret.example.com\\b',
    's3cret.example.com',
    'ftp://s3cret.example.com',
    'javascript:s3cret',
  ])('%j: refused at start, by key and never by value', (PUBLIC_URL) => {
    for (const env of [live, base]) {
      const words = refusal({ ...env, PUBLIC_URL })
      expect(words).toMatch(/^ {2}PUBLIC_URL: must be an origin/m)
      expect(words).not.toContain('s3cret')
    }
  })

  test('empty: where we listen in a sandbox, refused with money that is real', () => {
    expect(loadConfig({ ...base, PUBLIC_URL: '', PORT: '9000' }, 'api').publicUrl).toBe(
      'http://127.0.0.1:9000',
    )
    for (const PUBLIC_URL of ['', 'http://api.example.com'])
      expect(refusal({ ...live, PUBLIC_URL })).toContain('PUBLIC_URL: must be https://')
  })
})

describe('10. a number that is set to nothing is not set', () => {
  const defaults = loadConfig(base, 'api')
  const numbers = Environment.keyof().options.filter((key) => typeof defaults[key] === 'number')

  test('there are many of them', () => expect(numbers.length).toBeGreaterThan(30))

  test.each(numbers)("%s='': its default", (key) => {
    expect(loadConfig({ ...base, [key]: '' }, 'api')[key]).toBe(defaults[key])
  })

  test.each(numbers)("%s=' ' or a word: refused by its key", (key) => {
    for (const text of [' ', '\t', 's3cret', '1,000']) {
      const words = refusal({ ...base, [key]: text })
      expect(words).toMatch(new RegExp(`^  ${key}: `, 'm'))
      expect(words).not.toContain('s3cret')
    }
  })

  test.each([
    ['PORT', '0', 0],
    ['PORT', '65535', 65_535],
    ['VENUE_FROZEN_AFTER_MS', '0', 0], //  never: said in so many words
    ['VENUES_SEED', ' 7 ', 7],
    ['CHAIN_BLOCK_TIME_S', 'auto', 'auto'],
  ] as const)('%s=%j is %j', (key, text, value) => {
    expect(loadConfig({ ...base, [key]: text }, 'api')[key]).toBe(value)
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['API_PROCESSES', '0'],
  ])('%s=%s: refused', (key, text) => {
    expect(refusal({ ...base, [key]: text })).toContain(`${key}: `)
  })
})
