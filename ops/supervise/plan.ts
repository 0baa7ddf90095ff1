import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config.ts'
import { inUrl } from '../listen.ts'
import { SECOND } from '../units.ts'
import type { Spawn } from './child.ts'
import { environmentOf, type Facts, type Role } from './environments.ts'
import { firstFacts, LOOPBACK, type PlanInput } from './facts.ts'
import type { Part, Said } from './part.ts'
import { probeReadyz } from './probes.ts'
import { sandboxParts } from './sandboxParts.ts'

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
  const facts = firstFacts(input)
  const node = createNodePart(input, facts)
  return { parts: [...sandboxParts(input, facts, node), ...serviceParts(input, node)], facts }
}

/** Our own processes with an operator port, in the order in which they count up from OPERATOR_PORT. */
export const operatorCount = (config: Config): number => config.API_PROCESSES + 3

/** A part that runs one of `MAINS`. */
export type NodePart = (
  role: Role,
  how?: Partial<Pick<Part, 'label' | 'needs' | 'uses' | 'operatorPort'> & Pick<Spawn, 'standsBack'>> & {
    name?: string //  unique, where several have one role
    extra?: Facts //  what only this one is told
  },
) => Part

function createNodePart({ config, system }: PlanInput, facts: Facts): NodePart {
  return (role, how = {}) => {
    const { name = role, label = role, needs = [], uses = [], operatorPort, extra = {}, standsBack } = how
    const told = operatorPort === undefined ? extra : { ...extra, OPERATOR_PORT: String(operatorPort) }
    return {
      role: name,
      label,
      needs,
      uses,
      graceMs: 25 * SECOND,
      operatorPort,
      spawn: () => ({
        command: process.execPath,
        args: ['--import', join(ROOT, 'ops/atBoot.ts'), join(ROOT, MAINS[role])],
        env: { ...system, ...environmentOf(role, config, { ...facts, ...told }) },
        ipc: true,
        standsBack,
      }),
      notReady:
        operatorPort === undefined
          ? refuseSilent
          : () => probeReadyz(`http://${inUrl(reachable(config.HOST))}:${operatorPort}`),
      waitsFor: (problem) => FENCE.test(problem),
    }
  }
}

/** The service itself. Operator ports count up: every api, then worker, engine, ingest. */
function serviceParts({ config, own, ports }: PlanInput, node: NodePart): Part[] {
  const market = when(own.redis, 'redis')
  const money = [
    ...market,
    ...when(own.ledger, 'ledger'),
    ...when(own.chain, 'chain'),
    ...when(own.rails, 'rails'),
    ...when(own.cardpay, 'cardpay'),
  ]
  const uses = when(own.clickhouse, 'clickhouse')
  const count = config.API_PROCESSES
  const apis = Array.from({ length: count }, (_, index) =>
    node('api', {
      name: `api-${index + 1}`,
      label: `api ${index + 1}`,
      needs: ['ingest', 'engine', ...money, ...when(own.dns, 'dns')],
      uses: ['worker'],
      operatorPort: ports.operator[index] ?? 0,
    }),
  )
  const [workerPort = 0, enginePort = 0, ingestPort = 0] = ports.operator.slice(count)
  //  ingest brings the tables of ClickHouse up to date when it can: those who write into them come after it
  return [
    node('ingest', {
      needs: [...market, ...when(own.venues, 'venues')],
      uses,
      operatorPort: ingestPort,
    }),
    node('engine', { needs: ['ingest', ...market], uses, operatorPort: enginePort }),
    node('worker', { needs: ['ingest', ...money], uses, operatorPort: workerPort }),
    ...apis,
  ]
}

const when = (owned: boolean, role: string): string[] => (owned ? [role] : [])

const refuseSilent = async (said: Said | null): Promise<string | null> =>
  said === null ? 'has not said that it is ready' : null

/** The check that keeps money closed in the roles that handle it (I24): a person may have to look, and to open it. */
const FENCE = /\bfence: /

/** The host by which a server can be asked from here, also one that listens on every address. */
const reachable = (host: string): string => (host === '0.0.0.0' || host === '::' ? LOOPBACK : host)
