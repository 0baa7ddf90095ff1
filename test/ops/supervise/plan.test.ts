import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError, Environment, givenKeys, loadConfig } from '../../../ops/config.ts'
import { listen } from '../../../ops/listen.ts'
import { refuseIncomplete, refuseUnreadable } from '../../../ops/supervise/complete.ts'
import { ROLE_KEYS, type Role, SUPERVISOR_KEYS } from '../../../ops/supervise/environments.ts'
import { redisListen } from '../../../ops/supervise/facts.ts'
import { ownParts, usedPorts } from '../../../ops/supervise/own.ts'
import { operatorCount, planTree } from '../../../ops/supervise/plan.ts'
import { choosePorts, type Ports } from '../../../ops/supervise/ports.ts'
import { readWorld } from '../../../ops/supervise/world.ts'
import { readSource, repositoryFiles } from '../../house/sources.ts'
import { freePort } from '../../support/ports.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-plan-'))
  await writeFile(
    join(dir, 'manifest.json'),
    JSON.stringify({ capturedAt: '2026-08-22T01:12:21Z', frames: [] }),
  )
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Every setting that real money requires. */
const LIVE = {
  MODE: 'live',
  VENUES: 'live',
  PUBLIC_URL: 'https://example.com',
  BASE_RPC_URL: 'https://rpc.example.com',
  RECEIVER_ADDRESS: `0x${'4'.repeat(40)}`,
  SETTLER_KEY_FILE: '/key',
  TRUSTED_PROXIES: '192.0.2.7',
  RECEIPT_KEY_FILE: '/receipt.pem',
  SERVICE_SECRET_FILE: '/secret',
}

const FREE = { PORT: '0', OPERATOR_PORT: '0' }
async function plan(env: Record<string, string>) {
  const config = loadConfig({ ...FREE, ...env }, 'supervisor')
  const given = givenKeys(env)
  const own = ownParts(config, given)
  const world = await readWorld(config)
  const ports = await choosePorts(config, usedPorts(own), operatorCount(config))
  const anchor = world.recording && {
    marketMs: world.recording.capturedAtMs,
    realMs: 5,
    speed: config.MARKET_SPEED,
  }
  const secrets = {
    receiptKeyFile: '/r',
    serviceSecretFile: '/s',
    clickhousePassword: 'cp',
    analystPassword: 'ap',
  }
  const input = {
    config,
    given,
    system: { PATH: '/bin' },
    own,
    world,
    anchor,
    dataDir: '/data',
    secrets,
    ports,
  }
  const { parts, facts } = planTree(input)
  const environment = (role: string) => parts.find((part) => part.role === role)!.spawn().env
  return { parts, facts, environment, ports, check: () => refuseIncomplete(config, own, facts) }
}
const refusal = async (env: Record<string, string>): Promise<string> => {
  const error = await plan(env)
    .then(({ check }) => check())
    .catch((thrown: unknown) => thrown)
  if (error !== undefined && !(error instanceof ConfigError)) throw error
  return error?.message ?? 'accepted'
}

describe('design 2: without configuration everything is ours', () => {
  test('the parts, in an order that fits their needs', async () => {
    const { parts } = await plan({})
    expect(parts.map(({ role }) => role).sort()).toEqual(
      [
        'api-1',
        'api-2',
        'cardpay',
        'chain',
        'clickhouse',
        'dns',
        'engine',
        'ingest',
        'ledger',
        'rails',
        'redis',
        'venues',
        'worker',
      ].sort(),
    )
    const [started, waiting] = [new Set<string>(), new Map(parts.map(({ role, needs }) => [role, needs]))]
    for (let round = 0; round < parts.length; round++)
      for (const [role, needs] of waiting)
        if (needs.every((need) => started.has(need)) && waiting.delete(role)) started.add(role)
    expect([...waiting.keys()]).toEqual([])
  })

  test('stopping begins with the api and ends with the stores', async () => {
    const { parts } = await plan({})
    const needs = (role: string) => {
      const { needs, uses = [] } = parts.find((part) => part.role === role)!
      return [...needs, ...uses]
    }
    expect(needs('api-1')).toEqual(
      expect.arrayContaining(['worker', 'engine', 'ingest', 'ledger', 'redis', 'chain', 'rails', 'dns']),
    )
    expect(needs('worker')).toEqual(expect.arrayContaining(['ledger', 'redis', 'chain']))
    expect(needs('engine')).toEqual(expect.arrayContaining(['ingest', 'redis']))
    expect(needs('ingest')).toEqual(expect.arrayContaining(['redis', 'venues']))
  })

  test('money that is closed is waited for by those who handle it, and the api does not wait for the worker', async () => {
    const { parts } = await plan({})
    const part = (role: string) => parts.find((each) => each.role === role)!
    expect(part('api-1').needs).not.toContain('worker')
    for (const role of ['worker', 'api-1']) {
      const waits = part(role).waitsFor!
      expect(waits('fence: the ledger is an older copy of itself; ledger: the ledger does not answer')).toBe(
        true,
      )
      expect(waits('ledger: the ledger does not answer; chain: no answer')).toBe(false)
    }
  })

  test.each([
    ['sandbox', {}],
    ['live', LIVE],
  ])(
    '%s, design 1: nothing waits for ClickHouse; who writes into it knows where it will be, and stops before it',
    async (MODE, env) => {
      const { parts, environment, ports } = await plan({ MODE, ...env })
      expect(parts.filter(({ needs }) => needs.includes('clickhouse'))).toEqual([])
      expect(parts.filter(({ withoutIt }) => withoutIt !== undefined).map(({ role }) => role)).toEqual([
        'clickhouse',
      ])
      const users = parts.filter(({ uses }) => uses?.includes('clickhouse')).map(({ role }) => role)
      expect(users.sort()).toEqual(['engine', 'ingest', 'worker'])
      expect(ports.CLICKHOUSE_PORT).toBeGreaterThan(0)
      for (const role of users)
        expect(environment(role).CLICKHOUSE_URL).toBe(`http://127.0.0.1:${ports.CLICKHOUSE_PORT}`)
      expect(environment('clickhouse').CLICKHOUSE_PORT).toBe(String(ports.CLICKHOUSE_PORT))
    },
  )
})

test('what has a machine of its own elsewhere, and works all the time, stands back here', async () => {
  const { parts } = await plan({})
  const back = parts.filter((part) => part.spawn().standsBack).map(({ role }) => role)
  expect(back).toEqual(['clickhouse', 'venues'])
})

describe('design 2: a store that the environment names is used instead', () => {
  test.each([
    [{ REDIS_URL: 'redis://elsewhere:1' }, ['redis']],
    [{ LEDGER_REDIS_URL: 'redis://elsewhere:1' }, ['ledger']],
    [{ CLICKHOUSE_URL: 'http://elsewhere:8123' }, ['clickhouse']],
    [{ BASE_RPC_URL: 'http://elsewhere:8545', RECEIVER_ADDRESS: `0x${'2'.repeat(40)}` }, ['chain']],
    [{ VENUES: 'live' }, ['venues']],
    [{ DNS_RESOLVERS: '1.1.1.1,[2606:4700:4700::1111]:53' }, ['dns']],
    [{ STRIPE_SECRET_KEY_FILE: '/key', STRIPE_WEBHOOK_SECRET_FILE: '/hook' }, ['cardpay']],
    [
      {
        SOLANA_RPC_URL: 'http://elsewhere:8899',
        SOLANA_RECEIVER: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
      },
      ['rails'],
    ],
  ])('%j', async (env: Record<string, string>, absent) => {
    const { parts, environment } = await plan(env)
    const roles = parts.map(({ role }) => role)
    expect(absent.filter((role) => roles.includes(role))).toEqual([])
    expect(roles).toHaveLength((await plan({})).parts.length - absent.length)
    for (const [key, value] of Object.entries(env))
      if (key in environment('api-1') && key !== 'VENUES') expect(environment('api-1')[key]).toBe(value)
  })
})

describe('OPS-13: each part is told what it needs and nothing else', () => {
  test('the gas key goes to the worker alone, signing keys to api and worker', async () => {
    const { parts, environment } = await plan({})
    const holders = (key: string) => parts.map(({ role }) => role).filter((role) => key in environment(role))
    expect(holders('SETTLER_KEY_FILE')).toEqual(['worker'])
    expect(holders('RECEIPT_KEY_FILE').sort()).toEqual(['api-1', 'api-2', 'worker'])
    expect(holders('SERVICE_SECRET_FILE').sort()).toEqual(['api-1', 'api-2', 'worker'])
    expect(holders('STRIPE_SECRET_KEY_FILE').sort()).toEqual(['api-1', 'api-2', 'worker'])
    expect(holders('STRIPE_WEBHOOK_SECRET_FILE').sort()).toEqual(['api-1', 'api-2'])
    expect(holders('LEDGER_REDIS_URL').sort()).toEqual(['api-1', 'api-2', 'worker'])
    expect(Object.keys(environment('redis'))).toEqual(['PATH'])
  })

  test('each Redis is told how much memory it may use', async () => {
    const { parts } = await plan({ REDIS_MAX_MIB: '300', LEDGER_MAX_MIB: '200' })
    const limits = ['redis', 'ledger'].map((role) => {
      const { args } = parts.find((part) => part.role === role)!.spawn()
      return args[args.indexOf('--maxmemory') + 1]
    })
    expect(limits).toEqual(['300mb', '200mb'])
  })

  test('every entry of the environment reaches somebody', () => {
    const ofCommands = ['BUYER_KEY_FILE'] //  ./ops/buy, which is not part of the tree
    const told = new Set([...Object.values(ROLE_KEYS).flat(), ...SUPERVISOR_KEYS, ...ofCommands])
    expect(Environment.keyof().options.filter((key) => !told.has(key))).toEqual([])
  })

  //  a key that is read but not handed over would silently have its default
  test.each<[Role[], RegExp]>([
    [['ingest'], /^ingest\//],
    [['engine'], /^engine\/(?!scripts\/)/],
    [['api', 'worker'], /^api\/(?!worker\/books\/source)/], //  ops/reconcile, which is not part of the tree
    [['clickhouse'], /^ops\/sandbox\/clickhouse\//],
    [['chain'], /^ops\/sandbox\/chain\//],
    [['venues'], /^ops\/sandbox\/venues\//],
    [['rails'], /^ops\/sandbox\/rails\//],
    [['dns'], /^ops\/sandbox\/dns\//],
    [['cardpay'], /^ops\/sandbox\/cardpay\//],
  ])('%s: every key that its code reads is handed to it', (roles, folder) => {
    const told = new Set(roles.flatMap((role) => ROLE_KEYS[role]))
    const read = repositoryFiles()
      .filter((path) => folder.test(path) && path.endsWith('.ts'))
      .flatMap((path) => readSource(path).match(/(?<=\b(?:config|slice)\.)[A-Z][A-Z0-9_]+/g) ?? [])
    expect(read.length).toBeGreaterThan(1)
    expect(read.filter((key) => !told.has(key as keyof Environment))).toEqual([])
  })

  test.each([
    [{}, '1:3'],
    [{ CHAIN_BLOCK_TIME_S: 'auto' }, ''], //  blocks come with transactions only: nothing ever lies deeper
    [{ CHAIN_BLOCK_TIME_S: 'auto', FINALITY: '5:2' }, '5:2'],
  ])('%j: the worker waits for a depth of %j', async (env, finality) => {
    const { environment } = await plan(env as Record<string, string>)
    expect([environment('worker').FINALITY, environment('api-1').FINALITY]).toEqual([finality, finality])
  })

  test('the api asks the sandbox for names, and never the machine it runs on', async () => {
    const { environment, ports } = await plan({})
    expect(environment('api-1').DNS_RESOLVERS).toBe(`127.0.0.1:${ports.DNS_PORT}`)
    expect(environment('dns')).toEqual({
      PATH: '/bin',
      LOG_LEVEL: 'info',
      HOST: '127.0.0.1',
      DNS_PORT: String(ports.DNS_PORT),
    })
  })

  test('where we listen on an IPv6 address, all that we start accept where that is, and are asked there', async () => {
    const { parts, environment, ports } = await plan({ HOST: '::1' })
    const apiEnvironment = environment('api-1')
    expect(apiEnvironment.PUBLIC_URL).toBe(`http://[::1]:${ports.PORT}`)
    expect(loadConfig({ ...apiEnvironment, RECEIVER_ADDRESS: LIVE.RECEIVER_ADDRESS }, 'api').HOST).toBe('::1')
    const health = createHttpServer((_, response) => response.end('{"ok":true}'))
    await listen(health, '::1', ports.operator[0]!)
    try {
      expect(await parts.find(({ role }) => role === 'api-1')!.notReady(null)).toBeNull()
    } finally {
      health.close()
    }
  })

  test.each([
    ['d'.repeat(87), true],
    ['d'.repeat(88), false],
    ['é'.repeat(43), true], //  two bytes each
    ['é'.repeat(44), false],
  ])(
    'DATA_DIR /%s: the sockets of the stores are in it: %s, as the system takes a path of so many bytes',
    (name, isIn) => {
      const { redis, ledger } = redisListen(`/${name}`, {
        REDIS_PORT: null,
        LEDGER_REDIS_PORT: null,
      } as Ports)
      const folder = isIn ? `/${name}/` : join(tmpdir(), 'microdata-')
      for (const listens of [redis, ledger])
        expect(listens).toEqual({ socket: expect.stringMatching(new RegExp(`^${folder}[^/]+\\.sock$`)) })
    },
  )

  test('the other rails are ours, and what they say of their receivers reaches api and worker', async () => {
    const { parts, environment, ports } = await plan({})
    const said = {
      evmReceiver: '0xe',
      solanaReceiver: 's',
      solanaAlternate: 't',
      bitcoinReceiver: 'b',
    }
    parts.find(({ role }) => role === 'rails')!.learn!(said)
    for (const role of ['api-1', 'worker'])
      expect(environment(role)).toMatchObject({
        ETHEREUM_RPC_URL: `http://127.0.0.1:${ports.ETHEREUM_PORT}`,
        ETHEREUM_RECEIVER: '0xe',
        POLYGON_RPC_URL: `http://127.0.0.1:${ports.POLYGON_PORT}`,
        POLYGON_RECEIVER: '0xe',
        ARBITRUM_RPC_URL: `http://127.0.0.1:${ports.ARBITRUM_PORT}`,
        ARBITRUM_RECEIVER: '0xe',
        SOLANA_RPC_URL: `http://127.0.0.1:${ports.SOLANA_PORT}`,
        SOLANA_RECEIVER: 's',
        SOLANA_ALTERNATE_RECEIVER: 't',
        SOL_BASE_RECEIVER: '0xe',
        BITCOIN_API_URL: `http://127.0.0.1:${ports.BITCOIN_PORT}`,
        BITCOIN_RECEIVER: 'b',
        PRICE_A_URL: `http://127.0.0.1:${ports.PRICES_PORT}/a`,
        PRICE_B_URL: `http://127.0.0.1:${ports.PRICES_PORT}/b`,
      })
  })

  test('a part takes its environment through the same schema', async () => {
    const { environment, facts } = await plan({ CHAIN_BLOCK_TIME_S: 'auto' })
    facts.RECEIVER_ADDRESS = `0x${'3'.repeat(40)}`
    const roles = {
      ingest: 'ingest',
      engine: 'engine',
      worker: 'worker',
      'api-1': 'api',
      chain: 'script',
    } as const
    for (const [role, as] of Object.entries(roles))
      expect(() => loadConfig(environment(role), as), role).not.toThrow()
    expect(environment('chain').CHAIN_BLOCK_TIME_S).toBe('auto')
  })
})

describe('recordings', () => {
  test('the clock starts at capturedAt, answers say recorded, stillness is no fault', async () => {
    const { environment } = await plan({ VENUES: dir, MARKET_SPEED: '60' })
    const api = environment('api-1')
    expect(api.MARKET_CLOCK).toBe(`${Date.parse('2026-08-22T01:12:21Z')}:5:60`)
    expect(api.RECORDED).toBe('1')
    expect(api.VENUE_FROZEN_AFTER_MS).toBe('0')
    expect(api.MARKET_MAX_AGE_MS).toBe(String(90_000 * 60))
    expect(environment('venues').VENUES).toBe(dir)
  })

  test('what is set by hand stands', async () => {
    const env = { VENUES: dir, MARKET_SPEED: '60', VENUE_FROZEN_AFTER_MS: '1000', MARKET_MAX_AGE_MS: '2000' }
    const api = (await plan(env)).environment('api-1')
    expect([api.VENUE_FROZEN_AFTER_MS, api.MARKET_MAX_AGE_MS]).toEqual(['1000', '2000'])
  })

  test.each([
    [{}, 'generator'],
    [{ VENUES_SEED: '7' }, 'generator-7-400'],
    [{ VENUES: 'live' }, 'live-venues'],
  ])('%j has the folder %s', async (env, slug) => {
    expect((await readWorld(loadConfig(env, 'supervisor'))).slug).toBe(slug)
  })

  test('a folder that is no recording is refused by the key', async () => {
    expect(await refusal({ VENUES: tmpdir() })).toMatch(/VENUES: .* is no recording/)
  })
})

describe('OPS-03: live mode stops the start with the names of the missing keys', () => {
  const without = (key: string) => Object.fromEntries(Object.entries(LIVE).filter(([name]) => name !== key))

  test('complete: accepted', async () => {
    expect(await refusal(LIVE)).toBe('accepted')
  })

  const KEYS = Object.keys(LIVE).filter((key) => key !== 'MODE')

  test.each(KEYS)('without %s', async (key) => {
    expect(await refusal(without(key))).toContain(`${key}:`)
  })

  test('without any of them: all are named at once', async () => {
    const message = await refusal({ MODE: 'live' })
    expect(KEYS.filter((key) => !message.includes(`  ${key}: `))).toEqual([])
    const remote = await refusal({ MODE: 'live', SETTLEMENT: 'facilitator' })
    expect(remote).toContain('FACILITATOR_URL: ')
    expect(remote).not.toContain('SETTLER_KEY_FILE')
  })

  test.each([
    ['8.8.4.4', 'accepted'],
    ['8.8.4.4:53, [2001:4860:4860::8844]:53', 'accepted'],
    ['127.0.0.1', 'DNS_RESOLVERS: must be public'],
    ['8.8.8.8,10.0.0.2:53', 'DNS_RESOLVERS: must be public'],
    ['[::1]:53', 'DNS_RESOLVERS: must be public'],
    ['dns.example.com', 'DNS_RESOLVERS: must be a comma list'],
    ['8.8.8.8:0', 'DNS_RESOLVERS: must be a comma list'],
    ['8.8.8.8:65536', 'DNS_RESOLVERS: must be a comma list'],
    ['8.8.8.8,', 'DNS_RESOLVERS: must be a comma list'],
  ])('resolvers %s: %s (DNS-07)', async (resolvers, outcome) => {
    expect(await refusal({ ...LIVE, DNS_RESOLVERS: resolvers })).toContain(outcome)
  })

  test('live without DNS_RESOLVERS: two public ones', async () => {
    expect((await plan(LIVE)).environment('api-1').DNS_RESOLVERS).toBe('1.1.1.1,8.8.8.8')
    expect((await plan(LIVE)).parts.map(({ role }) => role)).not.toContain('dns')
  })

  test.each([
    [{ STRIPE_SECRET_KEY_FILE: '/key' }, 'STRIPE_WEBHOOK_SECRET_FILE:'],
    [
      {
        STRIPE_SECRET_KEY_FILE: '/key',
        STRIPE_WEBHOOK_SECRET_FILE: '/hook',
        STRIPE_API_URL: 'http://example.com',
      },
      'STRIPE_API_URL: must be https',
    ],
    [{ STRIPE_SECRET_KEY_FILE: '/key', STRIPE_WEBHOOK_SECRET_FILE: '/hook' }, 'accepted'],
  ])('card checkout %j: %s', async (keys, outcome) => {
    expect(await refusal({ ...LIVE, ...keys })).toContain(outcome)
  })

  test('sandbox without anything: accepted', async () => {
    expect(await refusal({})).toBe('accepted')
  })

  test('sandbox on a foreign chain needs to know who is paid', async () => {
    const message = await refusal({ BASE_RPC_URL: 'http://elsewhere:8545' })
    expect(message).toContain('RECEIVER_ADDRESS:')
    expect(message).toContain('SETTLER_KEY_FILE:')
  })
})

test('OPS-03: files of secrets that cannot be used are refused by key, all at once, before anything starts', async () => {
  const file = join(dir, 'open.key')
  await writeFile(file, 'k')
  await chmod(file, 0o644)
  const env = {
    RECEIPT_KEY_FILE: join(dir, 'none.pem'),
    SERVICE_SECRET_FILE: join(dir, 'none'),
    SETTLER_KEY_FILE: file,
  }
  const check = (set: Record<string, string>) => () => refuseUnreadable(loadConfig(set, 'supervisor'))
  expect(check(env)).toThrow(
    new ConfigError([
      'SETTLER_KEY_FILE: is readable by everybody; chmod 600 it',
      'RECEIPT_KEY_FILE: cannot be read',
      'SERVICE_SECRET_FILE: cannot be read',
    ]),
  )
  await chmod(file, 0o600)
  expect(check({ SETTLER_KEY_FILE: file })).not.toThrow()
  expect(check({})).not.toThrow()
})

test('the chain that is started here is Base; of another one the node is named', async () => {
  const words = 'CHAIN_ID: the chain that is started here is 8453; for another set BASE_RPC_URL'
  expect(await refusal({ CHAIN_ID: '84532' })).toContain(words)
  const sepolia = { CHAIN_ID: '84532', BASE_RPC_URL: 'https://rpc.example.com' }
  expect(await refusal(sepolia)).toMatch(/^configuration:\n {2}RECEIVER_ADDRESS: is missing.*$/m)
  expect(await refusal({ ...sepolia, RECEIVER_ADDRESS: `0x${'1'.repeat(40)}` })).not.toContain('CHAIN_ID')
  expect(await refusal({})).toBe('accepted')
})

describe('design 2: every port can be set, and one in use is refused by its key', () => {
  test.each([
    'PORT',
    'CLICKHOUSE_PORT',
    'CHAIN_PORT',
    'VENUE_A_PORT',
    'VENUE_B_PORT',
    'DNS_PORT',
    'CARDPAY_PORT',
    'ETHEREUM_PORT',
    'POLYGON_PORT',
    'ARBITRUM_PORT',
    'SOLANA_PORT',
    'BITCOIN_PORT',
    'PRICES_PORT',
    'REDIS_PORT',
    'LEDGER_REDIS_PORT',
    'OPERATOR_PORT',
  ])('%s', async (key) => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const taken = (server.address() as { port: number }).port
    const message = await plan({ [key]: String(taken) }).then(
      () => 'accepted',
      (error: Error) => error.message,
    )
    await new Promise((resolve) => server.close(resolve))
    expect(message).toContain(`${key}: port ${taken} is in use by another process; set ${key}`)
  })

  test('set ports are used, the operator ports count up', async () => {
    const port = await freePort()
    const { environment, ports } = await plan({ REDIS_PORT: String(port), API_PROCESSES: '3' })
    expect(environment('api-1').REDIS_URL).toBe(`redis://127.0.0.1:${port}`)
    expect(ports.operator).toHaveLength(6)
    expect(new Set(ports.operator).size).toBe(6)
  })

  test('one port for two things is refused', async () => {
    const port = String(await freePort())
    await expect(plan({ PORT: port, CHAIN_PORT: port })).rejects.toThrow('is given to two keys')
  })
})
