import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { STREAMS_MAX } from '../../api/feed/holders.ts'
import { Environment, loadConfig } from '../../ops/config.ts'
import { listen } from '../../ops/listen.ts'
import { EVENT_LOOP_EVERY_MS } from '../../ops/metrics.ts'
import { redisArguments } from '../../ops/sandbox/redis/arguments.ts'
import { ROLE_KEYS, type Role } from '../../ops/supervise/environments.ts'
import { NODE, run } from '../support/process.ts'
import { importsOf, readSource, repositoryFiles } from './sources.ts'

const files = repositoryFiles()
const Service = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  logging: z.object({ options: z.object({ 'max-size': z.string(), 'max-file': z.string() }) }),
  environment: z.record(z.string(), z.string().nullable()).default({}), //  null: handed on when it is set
  volumes: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  depends_on: z.unknown().optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  ulimits: z.object({ nofile: z.object({ soft: z.number(), hard: z.number() }) }).optional(),
})
const compose = z
  .looseObject({
    services: z.record(z.string(), Service),
    networks: z.record(z.string(), z.looseObject({ internal: z.boolean().optional() })),
    volumes: z.record(z.string(), z.unknown()),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  .parse(parse(readSource('docker-compose.yml'), { merge: true, uniqueKeys: true }))
const services = Object.entries(compose.services)
const ours = services.filter(([, { image }]) => image === 'microdata')
/** Values for required variables. `filled` reads `${NAME:-default}` as a shell does when NAME is not set. */
const REQUIRED: Record<string, string> = {
  PUBLIC_URL: 'https://example.com',
  TRUSTED_PROXIES: '192.0.2.0/24',
  BASE_RPC_URL: 'https://rpc.example.com',
  RECEIVER_ADDRESS: `0x${'5'.repeat(40)}`,
}
const filled = (text: string): string =>
  text.replace(/\$\{([A-Z0-9_]+)(?::([-+?])([^}]*))?\}/g, (_, name: string, how = '', rest = '') => {
    if (how === '+') return ''
    return how === '-' ? rest : (REQUIRED[name] ?? 'a-password')
  })

describe('design 2: docker-compose.yml has every process, with the commands that run here', () => {
  test('redis twice, clickhouse, ingest, engine, api, worker, prometheus, alertmanager, grafana', () => {
    const expected = [
      'redis',
      'ledger',
      'clickhouse',
      'ingest',
      'engine',
      'api',
      'worker',
      'prometheus',
      'alertmanager',
      'grafana',
    ]
    expect(services.map(([name]) => name).sort()).toEqual(expected.sort())
  })

  test.each([
    ['redis', 'everysec', 'REDIS_MAX_MIB'],
    ['ledger', 'always', 'LEDGER_MAX_MIB'],
  ] as const)('%s starts Redis exactly as ./ops/start does', (name, appendfsync, limit) => {
    const listen = { port: 6379, host: '0.0.0.0' }
    const command = compose.services[name]!.command!
    const { [limit]: maxMiB } = Environment.parse({})
    expect(command).toContain(`\${${limit}:-${maxMiB}}mb`)
    expect(command.map(filled)).toEqual([
      'redis-server',
      ...redisArguments({ dir: '/data', listen, appendfsync, maxMiB }),
    ])
  })

  test('each of our commands is a file that ./ops/start runs too, in one image', () => {
    expect(ours.map(([name]) => name).sort()).toEqual(['api', 'engine', 'ingest', 'worker'])
    const plan = readSource('ops/supervise/plan.ts')
    for (const [name, { command }] of ours) {
      expect(command, name).toHaveLength(1)
      expect(files).toContain(command![0])
      expect(plan).toContain(`'${command![0]}'`)
    }
  })

  test('design 1: nothing waits for ClickHouse, which is never on the path of a paid read', () => {
    const waits = services.filter(([, { depends_on }]) =>
      JSON.stringify(depends_on ?? null).includes('clickhouse'),
    )
    expect(services.filter(([, { depends_on }]) => depends_on !== undefined).length).toBeGreaterThan(3)
    expect(waits.map(([name]) => name)).toEqual([])
  })

  test('HTTP-08 an api process may have open far more connections than it has readers of the feed, on every machine', () => {
    const { soft, hard } = compose.services.api!.ulimits!.nofile
    expect(soft).toBe(hard)
    expect(soft).toBeGreaterThan(10 * STREAMS_MAX)
  })

  test('the logs of every service are bounded', () => {
    for (const [name, { logging }] of services)
      expect(logging.options, name).toEqual({ 'max-size': '10m', 'max-file': '3' })
  })

  test('every file that is mounted or copied is in the repository', () => {
    const mounted = services.flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(':')[0]!))
    const paths = mounted.filter((path) => path.startsWith('./')).map((path) => path.slice(2))
    expect(paths.length).toBeGreaterThan(3)
    expect(
      paths.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`))),
    ).toEqual([])
    const named = mounted.filter((path) => !path.startsWith('./'))
    expect(named.filter((name) => !(name in compose.volumes))).toEqual([])
  })
})

describe('the same names of environment variables', () => {
  test.each(ours)('%s: each is an entry of ops/config.ts that this role reads', (name, { environment }) => {
    const known: string[] = Environment.keyof().options
    expect(Object.keys(environment).filter((key) => !known.includes(key))).toEqual([])
    const told: readonly string[] = ROLE_KEYS[name as Role]
    expect(Object.keys(environment).filter((key) => !told.includes(key))).toEqual([])
  })

  test.each(ours)('%s: its configuration is complete and accepted', (name, { environment }) => {
    const env = Object.fromEntries(
      Object.entries(environment).flatMap(([key, value]) => (value === null ? [] : [[key, filled(value)]])),
    )
    const config = loadConfig(env, name as 'api' | 'worker' | 'ingest' | 'engine')
    expect(config.MODE).toBe('live')
  })

  test.each(ours)('%s: every file it may be told of can be set, and is mounted for it', (name, service) => {
    const told = ROLE_KEYS[name as Role].filter((key) => key.endsWith('_FILE'))
    const mounted = told.map((key) =>
      /^(?:\$\{([A-Z0-9_]+):\+)?\/run\/secrets\/(\w+)\}?$/.exec(service.environment[key] ?? ''),
    )
    expect(told.filter((_, at) => mounted[at] === null)).toEqual([])
    expect(mounted.map((match) => match![2]!).sort()).toEqual(service.secrets.toSorted())
    for (const [at, key] of told.entries()) {
      const [, given, secret] = mounted[at]!
      if (given === undefined) continue //  the key is always required
      expect(given).toBe(key)
      expect(compose.secrets[secret!]!.file).toBe(`\${${key}:-/dev/null}`)
    }
  })

  test.each(ours)(
    '%s: whatever this role reads can be set, but what belongs to a sandbox',
    (name, { environment }) => {
      const sandbox = ['MARKET_CLOCK', 'RECORDED', 'USDC_ADDRESS', 'FAULT_POINT']
      const settable = ROLE_KEYS[name as Role].filter((key) => !sandbox.includes(key))
      expect(settable.filter((key) => !(key in environment))).toEqual([])
    },
  )

  test('what has no value of its own is handed on, and never as an empty word', () => {
    const values = ours.flatMap(([, { environment }]) => Object.values(environment))
    expect(values).toContain(null)
    expect(values).not.toContain('')
  })

  test('OPS-13: only the worker holds the gas key; only those that sign hold the others', () => {
    const holders = (secret: string) =>
      services.filter(([, { secrets }]) => secrets.includes(secret)).map(([n]) => n)
    expect(holders('settler_key')).toEqual(['worker'])
    expect(holders('stripe_webhook')).toEqual(['api'])
    expect(holders('receipt_key').sort()).toEqual(['api', 'worker'])
    expect(
      services.flatMap(([, { secrets }]) => secrets).filter((name) => !(name in compose.secrets)),
    ).toEqual([])
  })
})

describe('what is reachable', () => {
  test('stores sit on a network without a way out, and every published port is on this machine only', () => {
    expect(compose.networks.stores?.internal).toBe(true)
    for (const name of ['redis', 'ledger', 'engine', 'prometheus'])
      expect(compose.services[name]?.networks, name).toEqual(['stores'])
    const published = services.flatMap(([, { ports }]) => ports)
    expect(published.length).toBeGreaterThan(0)
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  test('no image comes from a named host, and each says its version', () => {
    const images = services.map(([, { image }]) => image).filter((image) => image !== 'microdata')
    expect(images.filter((image) => image.split('/').length > 2 || /[.:].*\//.test(image))).toEqual([])
    expect(images.filter((image) => !/:\w+[\w.-]*$/.test(image) || image.endsWith(':latest'))).toEqual([])
  })
})

describe('ops/image', () => {
  const docker = readSource('ops/image/Dockerfile')

  test.each([
    [200, 0],
    [503, 1],
    [null, 1],
  ])('the health check of a container whose /readyz says %s ends with %i', async (status, code) => {
    const asked: string[] = []
    const ready = createServer(({ url }, reply) => {
      asked.push(url!)
      reply.writeHead(status ?? 500).end()
    })
    const port = await listen(ready, '127.0.0.1', 0)
    onTestFinished(() => void ready.close())
    if (status === null) await new Promise((closed) => ready.close(closed))
    for (const [name, { healthcheck, environment }] of ours) {
      const [, program, script, its] = healthcheck!.test
      expect([name, program, its]).toEqual([name, 'node_modules/.bin/node', environment.OPERATOR_PORT])
      expect((await run(NODE, [script!, String(port)]).exited).code).toBe(code)
    }
    expect(asked).toEqual(status === null ? [] : ours.map(() => '/readyz'))
  })

  test('it is asked for so often that it loads nothing but what Node has', () => {
    const loaded = importsOf('ops/image/healthcheck.ts').map(({ specifier }) => specifier)
    expect(loaded).toEqual(['node:http'])
  })

  test('the Dockerfile knows its instructions and copies what exists', () => {
    const lines = docker.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const instructions = /^(FROM|WORKDIR|COPY|RUN|ENV|USER|ENTRYPOINT|CMD) /
    expect(lines.filter((line) => !instructions.test(line))).toEqual([])
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1))
    expect(copied.length).toBeGreaterThan(5)
    expect(
      copied.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`))),
    ).toEqual([])
    const ignored = readSource('.dockerignore')
    for (const path of copied) expect(ignored, path).toContain(`!${path}\n`)
    const json = lines
      .filter((line) => /^(ENTRYPOINT|CMD) /.test(line))
      .map((line) => line.replace(/^\w+ /, ''))
    for (const part of json) expect(z.array(z.string()).safeParse(JSON.parse(part)).success, part).toBe(true)
    expect(docker).toMatch(/\nUSER node\n/)
  })

  describe('what the image leaves out', () => {
    const left = readSource('.dockerignore')
      .split('\n')
      .filter((line) => /^ops\//.test(line))
    const isIn = (path: string) =>
      /^(api|engine|ingest|ops)\//.test(path) && !left.some((folder) => path.startsWith(`${folder}/`))
    const inside = files.filter(isIn)

    test('is the sandbox, its supervisor and the buyer’s tool', () => {
      expect(left).toEqual(['ops/sandbox', 'ops/supervise', 'ops/purchase'])
    })

    test('is imported by nothing that is in it', () => {
      const imports = inside.filter((path) => path.endsWith('.ts')).flatMap(importsOf)
      const missing = imports.filter(({ specifier, to }) => specifier.startsWith('.') && !isIn(to))
      expect(missing.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
    })

    test('is started by no command that operators are told to give', () => {
      const commands = [...readSource('ops/README.md').matchAll(/docker compose run [^\n]*? (\S+\.ts) /g)]
      const programs = new Set(commands.map(([, program]) => program!))
      expect(programs).toContain('ops/scripts/export.ts')
      expect([...programs].filter((program) => !inside.includes(program))).toEqual([])
    })
  })

  test.each([
    'ops/image/prometheus.yml',
    'ops/image/alertmanager.yml',
    'ops/image/grafana/datasources/prometheus.yml',
    'ops/image/grafana/dashboards/provider.yml',
  ])('%s is YAML', (path) => {
    expect(parse(readSource(path))).toBeTypeOf('object')
  })

  test('Prometheus asks every role of ours, on its operator port', () => {
    const { scrape_configs } = z
      .looseObject({
        scrape_configs: z.array(
          z.looseObject({
            relabel_configs: z.array(
              z.object({ source_labels: z.array(z.string()), target_label: z.string() }),
            ),
            dns_sd_configs: z.array(
              z.object({ names: z.array(z.string()), type: z.string(), port: z.number() }),
            ),
          }),
        ),
      })
      .parse(parse(readSource('ops/image/prometheus.yml')))
    const asked = scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs)
    expect(asked.flatMap(({ names }) => names).sort()).toEqual(ours.map(([name]) => name).sort())
    //  alerts ask for `job` by the name of the role
    for (const { relabel_configs } of scrape_configs)
      expect(relabel_configs).toEqual([{ source_labels: ['__meta_dns_name'], target_label: 'job' }])
    const operatorPorts = new Set(ours.map(([, { environment }]) => Number(environment.OPERATOR_PORT)))
    expect(new Set(asked.map(({ port }) => port))).toEqual(operatorPorts)
  })

  test('every figure on the board is one that some process of ours exports', () => {
    const board = z
      .looseObject({
        panels: z.array(z.looseObject({ targets: z.array(z.object({ expr: z.string() }).loose()) })),
      })
      .parse(JSON.parse(readSource('ops/image/grafana/dashboards/service.json')))
    const sources = files
      .filter((path) => /^(api|engine|ingest|ops)\/.*\.ts$/.test(path))
      .map(readSource)
      .join('\n')
    const names = board.panels
      .flatMap(({ targets }) => targets)
      .flatMap(({ expr }) => expr.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? [])
      .filter((name) => !/^(histogram_quantile|rate_interval|__rate_interval)$/.test(name))
      .map((name) => name.replace(/_bucket$/, ''))
    const standard = /^(nodejs_eventloop_lag_p99_seconds|process_resident_memory_bytes)$/ // prom-client's own
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !standard.test(name) && !sources.includes(`'${name}'`))).toEqual([])
  })

  test('the delay of the event loop is shown without the time between two looks, which the figure has in it', () => {
    const delay = readSource('ops/image/grafana/dashboards/service.json').match(
      /"max by \(role\) \(nodejs_eventloop.*"/,
    )
    expect(delay?.[0]).toContain(`(nodejs_eventloop_lag_p99_seconds) - ${EVENT_LOOP_EVERY_MS / 1_000}"`)
  })
})
