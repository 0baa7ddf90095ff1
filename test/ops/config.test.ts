import { describe, expect, test } from 'vitest'
import { ConfigError, Environment, loadConfig, systemEnvironment } from '../../ops/config.ts'
import type { ProcessRole } from '../../ops/configRules.ts'

const base = {
  RECEIVER_ADDRESS: `0x${'1'.repeat(40)}`,
  RECEIPT_KEY_FILE: '/receipt.pem',
  SERVICE_SECRET_FILE: '/secret',
}
const live = { ...base, MODE: 'live', TRUSTED_PROXIES: '10.0.0.1', PUBLIC_URL: 'https://api.example.com' }

/** The words of the refusal; null if the configuration is accepted. */
function refusal(env: Record<string, string>, role: ProcessRole = 'api'): string | null {
  try {
    loadConfig(env, role)
    return null
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

test('design 3, VEN-07: market data is sold up to 90 seconds old, and content that stands still for 10 minutes is old', () => {
  const { MARKET_MAX_AGE_MS, VENUE_FROZEN_AFTER_MS } = loadConfig(live, 'api')
  expect([MARKET_MAX_AGE_MS, VENUE_FROZEN_AFTER_MS]).toEqual([90_000, 600_000])
})

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
    expect(loadConfig({ ...base, PUBLIC_URL: '', HOST: '::1', PORT: '9000' }, 'api').publicUrl).toBe(
      'http://[::1]:9000',
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
    ['VENUE_FROZEN_AFTER_MS', '0', 0], //  never, and set explicitly
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
    ['USDC_ADDRESS', '0x12'],
    ['RECEIVER_ADDRESS', '0x12'],
    ['PAYMENT_TIMEOUT_S', '9'],
    ['PAYMENT_TIMEOUT_S', '3601'],
    ['FINAL_BLOCKS', '0'],
    ['ANSWER_TTL_MS', '59999'],
    ['MARKET_CLOCK', 'noon'],
    ['MARKET_CLOCK', '1780000000000:1780000000000'],
    ['MARKET_CLOCK', '1780000000000:1780000000000:0'],
    ['MARKET_CLOCK', '1780000000000:Infinity:1'],
  ])('%s=%s: refused', (key, text) => {
    expect(refusal({ ...base, [key]: text })).toContain(`${key}: `)
  })
})

describe('10. what decides about money is bounded on both sides', () => {
  test.each([
    ['PAYMENT_TIMEOUT_S', 10, 3_600],
    ['FINAL_BLOCKS', 1, 10_000],
    ['SETTLE_WAIT_MS', 100, 1_000_000_000],
    ['ANSWER_TTL_MS', 60_000, 1_000_000_000],
    ['MARKET_MAX_AGE_MS', 1_000, 1_000_000_000],
    ['FREE_RATE_PER_S', 1, 1_000_000_000],
    ['API_PROCESSES', 1, 64],
  ] as const)('%s: %d to %d', (key, least, most) => {
    for (const value of [least, most])
      expect(loadConfig({ ...base, [key]: String(value) }, 'api')[key]).toBe(value)
    expect(refusal({ ...base, [key]: String(least - 1) })).toContain(`${key}: must be at least ${least}`)
    expect(refusal({ ...base, [key]: String(most + 1) })).toContain(`${key}: must be at most ${most}`)
  })
})

describe('10. of an address nothing is left out, and nothing taken for something else', () => {
  const APPENDED = [
    'VENUE_A_CATALOG_URL',
    'VENUE_A_BOOK_URL',
    'VENUE_B_URL',
    'FACILITATOR_URL',
    'BITCOIN_API_URL',
    'PRICE_A_URL',
    'PRICE_B_URL',
  ]
  const remote = { ...base, SETTLEMENT: 'facilitator', FACILITATOR_URL: 'https://f.example' }

  test.each(APPENDED)('%s: a path; no user, password, query or fragment, which nobody would send', (key) => {
    for (const text of ['http://a.example', 'https://a.example:8443/v1/', 'HTTP://a.example'])
      expect(refusal({ ...remote, [key]: text })).toBeNull()
    for (const part of [
      'user:s3cret@a.example',
      ':s3cret@a.example',
      'a.example/?k=s3cret',
      'a.example#s3cret',
    ])
      expect(refusal({ ...remote, [key]: `https://${part}` })).toBe(
        `configuration:\n  ${key}: must be http(s)://host[:port][/path]: user, password, query and fragment would not be sent`,
      )
  })

  test.each(['CLICKHOUSE_URL', 'STRIPE_API_URL'])('%s: an origin', (key) => {
    expect(refusal({ ...base, [key]: 'http://a.example:8123/' })).toBeNull()
    for (const part of [
      'u:s3cret@a.example',
      'a.example/s3cret',
      'a.example/?database=s3cret',
      'a.example/#s3cret',
    ])
      expect(refusal({ ...base, [key]: `http://${part}` })).toBe(
        `configuration:\n  ${key}: must be an origin, http(s)://host[:port]`,
      )
  })

  test.each(['BASE_RPC_URL', 'ETHEREUM_RPC_URL', 'SOLANA_RPC_URL'])('%s: spoken to over HTTP only', (key) => {
    for (const text of ['ftp://s3cret.example', 'wss://127.0.0.1/s3cret', 'file:///s3cret', 's3cret.example'])
      for (const env of [base, live])
        expect(refusal({ ...env, [key]: text })).toBe(`configuration:\n  ${key}: must be http(s)://…`)
  })

  test('a node: all of it is sent, unless it cannot be read', () => {
    expect(refusal({ ...base, BASE_RPC_URL: 'https://u:p%40@a.example/v1?key=k' })).toBeNull()
    for (const password of ['s3cret%', 's3cret%zz', 's3cret%ff'])
      expect(refusal({ ...base, BASE_RPC_URL: `https://u:${password}@a.example` })).toBe(
        'configuration:\n  BASE_RPC_URL: has a user or password whose % is no escape',
      )
  })

  describe('CHN-04 nodes of a chain: one, or two that must agree', () => {
    test.each(['BASE_RPC_URL', 'ETHEREUM_RPC_URL', 'POLYGON_RPC_URL', 'ARBITRUM_RPC_URL'])('%s', (key) => {
      const alone = { ...base, [key.replace('RPC_URL', 'RECEIVER')]: base.RECEIVER_ADDRESS }
      const of = (...nodes: string[]) => refusal({ ...alone, [key]: nodes.join(',') })
      expect(of('https://a.example/v1,2')).toBeNull()
      expect(of('https://a.example', 'http://b.example/key')).toBeNull()
      for (const nodes of [
        ['https://a.example', 'https://a.example'],
        ['https://a.example', 'https://A.example:443/'],
        ['https://a.example', 'https://b.example', 'https://c.example'],
        ['https://a.example/v1', ' https://b.example'],
        ['https://a.example/v1', 'HTTPS://b.example'],
        ['https://a.example/v1', 'wss://b.example'],
        ['https://a.example/v1 https://b.example'],
        ['https://a.example', 'https://b.example/v1 https://c.example'],
        ['https://a.example/?key=k;https://b.example'],
      ])
        expect(of(...nodes)).toBe(
          `configuration:\n  ${key}: must be one node, or two different ones with a comma between`,
        )
      expect(of('https://a.example', 'https://u:s3cret%@b.example')).toBe(
        `configuration:\n  ${key}: has a user or password whose % is no escape`,
      )
    })
  })

  describe.each(['REDIS_URL', 'LEDGER_REDIS_URL'])('%s', (key) => {
    test.each([
      'redis://a',
      'redis://a:6379/',
      'rediss://user:p%40ss@a.example:6379/15',
      'redis://[::1]:6379/0?family=0',
      'unix:/run/a.sock',
    ])('%s: fine', (text) => expect(refusal({ ...base, [key]: text })).toBeNull())

    test.each([
      'redis://', //                    would be this machine
      'redis:///1',
      'redis://:s3cret@a:99999',
      'redis://:s3cret@a:63x',
      'redis://:s3/cret@a',
      'redis://:s3cret%zz@a',
      'redis://:s3cret@a,b',
      'redis://:s3cret@a/16', //        would be database 0, as would be the next three
      'redis://:s3cret@a/-1',
      'redis://:s3cret@a/ledger',
      'redis://:s3cret@a/1.5',
      'redis://:s3cret@a/1/2',
      'unix:run/a.sock',
    ])('%s: refused at start, by key and never by value', (text) => {
      expect(refusal({ ...base, [key]: text })).toBe(
        `configuration:\n  ${key}: must be redis(s)://[user:password@]host[:port][/database, 0 to 15] or unix:/path`,
      )
    })
  })
})

describe('10. HOST is where we listen, and never everywhere because nothing stands there', () => {
  test.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'api', 'a_1.b-2.example'])(
    '%s: fine',
    (HOST) => {
      expect(loadConfig({ ...base, HOST }, 'api').HOST).toBe(HOST)
    },
  )

  test.each(['', ' ', ' 127.0.0.1', '127.0.0.1:8402', '[::1]', 'a b', 'http://a', '.', 'a,b'])(
    '%j: refused at start',
    (HOST) => {
      expect(refusal({ ...base, HOST })).toBe('configuration:\n  HOST: must be an IP or the name of a host')
    },
  )
})

describe('10. MCP_ORIGINS are compared with what browsers send', () => {
  const originsOf = (MCP_ORIGINS: string) => loadConfig({ ...base, MCP_ORIGINS }, 'api').MCP_ORIGINS

  test.each([
    ['*', '*'],
    ['https://App.Example.com/, http://b.example:80', 'https://app.example.com,http://b.example'],
    ['chrome-extension://abcdefgh', 'chrome-extension://abcdefgh'],
  ])('%s is %s', (text, origins) => expect(originsOf(text)).toBe(origins))

  test.each([
    'app.example.com',
    'https://a.example/app',
    'https://a.example https://b.example',
    'null',
    '-1',
  ])('%s: refused at start', (text) => {
    expect(refusal({ ...base, MCP_ORIGINS: text })).toBe(
      'configuration:\n  MCP_ORIGINS: must be * or a comma list of origins, scheme://host[:port]',
    )
  })
})

describe('OPS-03 real money is not taken with what contradicts it', () => {
  test.each([
    ['RECORDED', '1'],
    ['MARKET_CLOCK', '1780000000000:1780000000000:1'],
    ['USDC_ADDRESS', `0x${'7'.repeat(40)}`],
    ['CHAIN_ID', '84532'],
    ['FAULT_POINT', 'CP1:kill'],
    ['BASE_RPC_URL', 'http://s3cret.example.com'],
    ['BASE_RPC_URL', 'http://127.0.0.1.s3cret.example.com'],
    ['BASE_RPC_URL', 'http://s3cret-localhost:8545'],
    ['BASE_RPC_URL', 'http://10.0.0.1:8545/s3cret'],
    ['BASE_RPC_URL', 'https://rpc.example.com,http://s3cret.example.com'],
    ['ETHEREUM_RPC_URL', 'http://s3cret.example.com'],
    ['SOLANA_RPC_URL', 'http://s3cret.example.com'],
    ['BITCOIN_API_URL', 'http://s3cret.example.com'],
    ['POLYGON_RPC_URL', 'http://s3cret.example.com'],
    ['ARBITRUM_RPC_URL', 'http://s3cret.example.com'],
    ['PRICE_A_URL', 'http://s3cret.example.com'],
    ['PRICE_B_URL', 'http://s3cret.example.com'],
    ['STRIPE_API_URL', 'http://s3cret.example.com'],
    ['FINALITY', 's3cret'],
    ['FINALITY', '1:0'],
    ['FINALITY', '1:3,1:5'],
    ['FACILITATORS_FILE', '/s3cret'], //  beside SETTLEMENT=self, the default
    ['FACILITATOR_AUTH_FILE', '/s3cret'],
    ['FACILITATOR_URL', 'https://s3cret.example.com'],
  ])('%s=%s: refused by its key, also by the one who would start the others', (key, value) => {
    for (const role of ['api', 'supervisor'] as const) {
      const words = refusal({ ...live, [key]: value }, role)
      expect(words).toMatch(new RegExp(`^  ${key}: `, 'm'))
      expect(words).not.toContain('s3cret')
    }
  })

  test.each([
    ['BASE_RPC_URL', 'https://rpc.example.com'],
    ['BASE_RPC_URL', 'http://127.0.0.1:8545'], //  a node of our own
    ['BASE_RPC_URL', 'http://[::1]:8545'],
    ['BASE_RPC_URL', 'https://rpc.example.com,http://127.0.0.1:8545'],
    ['ETHEREUM_RPC_URL', ''],
    ['USDC_ADDRESS', '0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913'],
    ['FINALITY', '1:3,1000:finalized'],
    ['FINALITY', ''],
  ])('%s=%s: fine', (key, value) => expect(refusal({ ...live, [key]: value })).toBeNull())

  test.each([' ', '\t'])('%j is no list: refused, and not taken for none, where none is refused', (blank) => {
    for (const role of ['api', 'supervisor'] as const) {
      expect(refusal({ ...live, TRUSTED_PROXIES: blank }, role)).toContain(
        'TRUSTED_PROXIES: must be a comma list',
      )
      expect(refusal({ ...live, DNS_RESOLVERS: blank }, role)).toContain(
        'DNS_RESOLVERS: must be a comma list',
      )
    }
  })

  test('DNS-07 resolvers that are named are the ones asked; nobody changes what was read', () => {
    const config = loadConfig({ ...live, DNS_RESOLVERS: '9.9.9.9' }, 'api')
    expect([config.DNS_RESOLVERS, Object.isFrozen(config)]).toEqual(['9.9.9.9', true])
  })

  test('USDC is where it stands on the chain, unless another place is named', () => {
    const usdc = (env: Record<string, string>) => loadConfig({ ...base, ...env }, 'api').USDC_ADDRESS
    expect(usdc({})).toBe('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
    expect(usdc({ CHAIN_ID: '84532' })).toBe('0x036CbD53842c5426634e7929541eC2318f3dCF7e')
    const named = `0x${'7'.repeat(40)}`
    expect(usdc({ CHAIN_ID: '84532', USDC_ADDRESS: named })).toBe(named)
  })

  test('the sandbox takes them', () => {
    const env = { RECORDED: '1', USDC_ADDRESS: `0x${'7'.repeat(40)}`, BASE_RPC_URL: 'http://chain:8545' }
    expect(refusal({ ...base, ...env })).toBeNull()
  })
})

describe('OPS-03, I24 with money that is real the ledger and its witness are two servers', () => {
  const refusalOf = (REDIS_URL: string, LEDGER_REDIS_URL: string, env: Record<string, string> = live) =>
    refusal({ ...env, REDIS_URL, LEDGER_REDIS_URL }) ?? 'accepted'
  const ONE = 'LEDGER_REDIS_URL: must be another server than REDIS_URL'

  test.each([
    ['redis://a:6379', 'redis://a:6379', ONE],
    ['redis://a', 'redis://A:6379', ONE],
    ['redis://a:6379/0', 'redis://a:6379/1', ONE],
    ['redis://a:6379', 'redis://user:s3cret@a:6379', ONE],
    ['redis://a:6379', 'rediss://a:6379', ONE],
    ['unix:/run/a.sock', 'unix:/run/a.sock', ONE],
    ['redis://a:6379', 'redis://b:6379', 'accepted'],
    ['redis://a:6379', 'redis://a:6380', 'accepted'],
    ['unix:/run/a.sock', 'unix:/run/b.sock', 'accepted'],
  ])('%s and %s: %s', (pipeline, ledger, words) => {
    const found = refusalOf(pipeline, ledger)
    expect(found).toContain(words)
    expect(found).not.toContain('s3cret')
  })

  test('a sandbox starts with one, and says of itself that it is not ready', () => {
    expect(refusalOf('redis://a', 'redis://a', base)).toBe('accepted')
  })
})

describe('OPS-03 what a process cannot do without is missed at start, by its key', () => {
  const settling = {
    ...live,
    VENUES: 'live',
    BASE_RPC_URL: 'https://rpc.example.com',
    SETTLER_KEY_FILE: '/settler',
  }
  const facilitated = {
    ...settling,
    SETTLEMENT: 'facilitator',
    FACILITATOR_URL: 'https://facilitator.example.com',
  }

  test.each(['api', 'worker', 'supervisor'] as const)('%s: nothing is missing', (role) => {
    for (const env of [settling, facilitated]) expect(refusal(env, role)).toBeNull()
  })

  test('a sandbox is started without any of it', () => {
    expect(refusal({}, 'supervisor')).toBeNull()
  })

  test.each([
    ['api', 'RECEIVER_ADDRESS'],
    ['api', 'RECEIPT_KEY_FILE'],
    ['api', 'SERVICE_SECRET_FILE'],
    ['api', 'TRUSTED_PROXIES'],
    ['worker', 'RECEIVER_ADDRESS'],
    ['worker', 'RECEIPT_KEY_FILE'],
    ['worker', 'SERVICE_SECRET_FILE'],
    ['worker', 'SETTLER_KEY_FILE'],
    ['supervisor', 'TRUSTED_PROXIES'],
    ['supervisor', 'RECEIVER_ADDRESS'],
    ['supervisor', 'RECEIPT_KEY_FILE'],
    ['supervisor', 'SERVICE_SECRET_FILE'],
    ['supervisor', 'SETTLER_KEY_FILE'],
  ] as const)('%s without %s', (role, key) => {
    expect(refusal({ ...settling, [key]: '' }, role)).toMatch(new RegExp(`^ {2}${key}: is missing`, 'm'))
  })

  test.each(['api', 'worker'] as const)('%s: a facilitator is one address, https with real money', (role) => {
    expect(refusal({ ...facilitated, FACILITATOR_URL: '' }, role)).toContain('FACILITATOR_URL: is missing')
    expect(refusal({ ...facilitated, FACILITATORS_FILE: '/list' }, role)).toContain(
      'FACILITATORS_FILE: contradicts',
    )
    const plain = refusal({ ...facilitated, FACILITATOR_URL: 'http://s3cret.example.com' }, role)
    expect(plain).toContain('FACILITATOR_URL: must be https://')
    expect(plain).not.toContain('s3cret')
  })

  test.each(['ingest', 'engine', 'script'] as const)(
    '%s: takes no money, and needs nothing of it',
    (role) => {
      expect(
        refusal({ MODE: 'live', REDIS_URL: 'redis://a', LEDGER_REDIS_URL: 'redis://a' }, role),
      ).toBeNull()
    },
  )

  test('a worker settles by the same rules', () => {
    const wrong = { BASE_RPC_URL: 'http://rpc.example.com', PUBLIC_URL: 'http://api.example.com' }
    for (const [key, value] of Object.entries(wrong))
      expect(refusal({ ...settling, [key]: value }, 'worker')).toContain(`${key}: must be https://`)
    const one = { REDIS_URL: 'redis://a', LEDGER_REDIS_URL: 'redis://a' }
    expect(refusal({ ...settling, ...one }, 'worker')).toContain('LEDGER_REDIS_URL: must be another server')
  })
})

describe('whoever starts it learns of everything at once, in words', () => {
  test('what is wrong and what is missing, each key once', () => {
    const wrong = { PORT: 'abc', API_PROCESSES: '0', LOG_LEVEL: 'loud', CLICKHOUSE_URL: 's3cret' }
    expect(refusal({ ...live, ...wrong, RECEIVER_ADDRESS: '', TRUSTED_PROXIES: '' })?.split('\n')).toEqual([
      'configuration:',
      '  LOG_LEVEL: must be one of debug, info, warn, error',
      '  PORT: must be a number',
      '  API_PROCESSES: must be at least 1',
      '  CLICKHOUSE_URL: must be an origin, http(s)://host[:port]',
      '  RECEIVER_ADDRESS: is missing (where payments arrive)',
      '  TRUSTED_PROXIES: is missing (we speak HTTP behind the proxy that ends TLS: else all callers share its limits)',
    ])
  })

  test.each([
    ['PORT', '1e30', 'must be at most 65535'],
    ['PORT', '1.5', 'must be a whole number'],
    ['CHAIN_BLOCK_TIME_S', 'often', 'must be auto, or a whole number from 1 to 60'],
    ['PUBLIC_URL', 'example', 'must be an origin, http(s)://host[:port]'],
    //  nothing is reported about the keys that depend on it
    ['SETTLEMENT', 'both', 'must be one of self, facilitator'],
  ])('%s=%s', (key, value, words) => {
    const env = { ...base, FACILITATOR_URL: key === 'SETTLEMENT' ? 'https://f.example' : '', [key]: value }
    expect(refusal(env)).toBe(`configuration:\n  ${key}: ${words}`)
  })

  test('no key has words of a validator for a value that is wrong', () => {
    for (const key of Environment.keyof().options)
      for (const value of ['§', '-1', '1.5', '1e30', ' '])
        expect(refusal({ ...base, [key]: value }) ?? '').not.toMatch(/expected|received|invalid/i)
  })

  test('no line of our source stands before it', () => {
    expect(new ConfigError(['PORT: must be a number']).stack).toBe(
      'ConfigError: configuration:\n  PORT: must be a number',
    )
  })
})

test('every child gets what the system needs, and where Node keeps compiled code, but no setting of ours', () => {
  const system = { PATH: '/bin', TZ: 'UTC', NODE_COMPILE_CACHE: '/var/cache/compiled' }
  expect(systemEnvironment({ ...system, PORT: '1', NODE_OPTIONS: '--inspect' })).toEqual(system)
})
