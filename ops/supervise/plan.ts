import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config.ts'
import { SECOND } from '../units.ts'
import { environmentOf, type Facts, type Role } from './environments.ts'
import { firstFacts, LOOPBACK, type PlanInput, redisListen } from './facts.ts'
import type { Part, Said } from './part.ts'
import { probeReadyz } from './probes.ts'
import { redisPart } from './redisPart.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAINS: Record<Role, string> = {
  clickhouse: 'ops/sandbox/clickhouse/main.ts',
  chain: 'ops/sandbox/chain/main.ts',
  venues: 'ops/sandbox/venues/main.ts',
  dns: 'ops/sandbox/dns/main.ts',
  cardpay: 'ops/sandbox/cardpay/main.ts',
  rails: 'ops/sandbox/rails/main.ts',
  ingest: 'ingest/main.ts',
  engine: 'engine/main.ts',
  worker: 'api/worker/main.ts',
  api: 'api/main.ts',
}
/**
 * The whole tree as data. `facts` starts with what is known before anything runs and is completed by what the
 * chain and the venues say when they are ready; a part's environment is made when it starts.
 */
export function planTree(input: PlanInput): { parts: Part[]; facts: Facts } {
  const { config, system, own, dataDir, ports } = input
  const facts = firstFacts(input)
  const node = (
    role: Role,
    { name = role, label = role, needs = [], uses = [], operatorPort, extra = {} }: NodePart = {},
  ): Part => ({
    role: name,
    label,
    needs,
    uses,
    graceMs: 25 * SECOND,
    operatorPort,
    spawn: () => ({
      command: process.execPath,
      args: ['--import', join(ROOT, 'ops/atBoot.ts'), join(ROOT, MAINS[role])],
      env: { ...system, ...environmentOf(role, config, { ...facts, ...extra }) },
      ipc: true,
    }),
    notReady: async (said) =>
      operatorPort === undefined
        ? said === null
          ? 'has not said that it is ready'
          : null
        : probeReadyz(`http://${reachable(config.HOST)}:${operatorPort}`),
    waitsFor: (problem) => FENCE.test(problem),
  })
  const ours = (host: string, folder: string): Facts => ({ HOST: host, DATA_DIR: join(dataDir, folder) })
  const when = (owned: boolean, ...roles: string[]): string[] => (owned ? roles : [])

  const listen = redisListen(dataDir, ports)
  const stores: Part[] = []
  if (own.redis)
    stores.push(
      redisPart({
        role: 'redis',
        label: 'redis',
        dir: join(dataDir, 'redis'),
        listen: listen.redis,
        appendfsync: 'everysec',
        system,
      }),
    )
  if (own.ledger)
    stores.push(
      redisPart({
        role: 'ledger',
        label: 'ledger redis',
        dir: join(dataDir, 'ledger'),
        listen: listen.ledger,
        appendfsync: 'always',
        system,
      }),
    )
  if (own.clickhouse)
    stores.push({
      ...node('clickhouse', { extra: ours(LOOPBACK, 'clickhouse') }),
      withoutIt:
        'there is no history until it is, and selling goes on; the streams keep what it has not taken',
    })
  if (own.chain)
    stores.push({
      ...node('chain', { extra: ours(LOOPBACK, '') }),
      learn(said) {
        facts.RECEIVER_ADDRESS = config.RECEIVER_ADDRESS || text(said, 'receiver')
        if (config.SETTLEMENT === 'self' && config.SETTLER_KEY_FILE === '')
          facts.SETTLER_ADDRESS = text(said, 'settler')
      },
    })
  if (own.rails)
    stores.push({
      ...node('rails', { needs: when(own.chain, 'chain'), extra: ours(LOOPBACK, '') }),
      learn(said) {
        for (const [key, from] of RAIL_RECEIVERS) facts[key] = config[key] || text(said, from)
      },
    })
  if (own.venues)
    stores.push({
      ...node('venues', { extra: ours(LOOPBACK, 'venues') }),
      learn(said) {
        const unlessGiven = (
          key: 'VENUE_A_CATALOG_URL' | 'VENUE_A_BOOK_URL' | 'VENUE_B_URL',
          from: string,
        ) => {
          if (!input.given.has(key)) facts[key] = text(said, from)
        }
        unlessGiven('VENUE_A_CATALOG_URL', 'a')
        unlessGiven('VENUE_A_BOOK_URL', 'a')
        unlessGiven('VENUE_B_URL', 'b')
      },
    })

  if (own.dns) stores.push(node('dns', { extra: { HOST: LOOPBACK } }))
  if (own.cardpay) stores.push(node('cardpay', { extra: ours(LOOPBACK, '') }))

  const money = [
    ...when(own.redis, 'redis'),
    ...when(own.ledger, 'ledger'),
    ...when(own.chain, 'chain'),
    ...when(own.rails, 'rails'),
    ...when(own.cardpay, 'cardpay'),
  ]
  const market = when(own.redis, 'redis')
  const uses = when(own.clickhouse, 'clickhouse')
  const operator = [...ports.operator]
  const withPort = (): { operatorPort: number; extra: Facts } => {
    const operatorPort = operator.shift() ?? 0
    return { operatorPort, extra: { OPERATOR_PORT: String(operatorPort) } }
  }
  const apis = Array.from({ length: config.API_PROCESSES }, (_, index) =>
    node('api', {
      name: `api-${index + 1}`,
      label: `api ${index + 1}`,
      needs: ['ingest', 'engine', ...money, ...when(own.dns, 'dns')],
      uses: ['worker'],
      ...withPort(),
    }),
  )
  //  ingest brings the tables of ClickHouse up to date when it can: those who write into them come after it
  const workers = [
    node('worker', { needs: ['ingest', ...money], uses, ...withPort() }),
    node('engine', { needs: ['ingest', ...market], uses, ...withPort() }),
    node('ingest', { needs: [...market, ...when(own.venues, 'venues')], uses, ...withPort() }),
  ]
  return { parts: [...stores, ...workers.reverse(), ...apis], facts }
}

/** Who is paid, as the sandbox's rails say it in their ready line. */
const RAIL_RECEIVERS = [
  ['ETHEREUM_RECEIVER', 'evmReceiver'],
  ['POLYGON_RECEIVER', 'evmReceiver'],
  ['ARBITRUM_RECEIVER', 'evmReceiver'],
  ['SOL_BASE_RECEIVER', 'evmReceiver'],
  ['SOLANA_RECEIVER', 'solanaReceiver'],
  ['SOLANA_ALTERNATE_RECEIVER', 'solanaAlternate'],
  ['BITCOIN_RECEIVER', 'bitcoinReceiver'],
] as const

/** Our own processes with an operator port, in the order in which they count up from OPERATOR_PORT. */
export const operatorCount = (config: Config): number => config.API_PROCESSES + 3

type NodePart = Partial<Pick<Part, 'label' | 'needs' | 'uses' | 'operatorPort'>> & {
  name?: string
  extra?: Facts
}

/** The check of those who handle money that keeps it closed (I24): a person may have to look, and to open it. */
const FENCE = /\bfence: /

/** Where a server that listens on every address can be asked from here. */
const reachable = (host: string): string => (host === '0.0.0.0' || host === '::' ? LOOPBACK : host)

function text(said: Said | null, key: string): string {
  const value = said?.[key]
  if (typeof value !== 'string') throw new Error(`the ready line lacks ${key}`)
  return value
}
