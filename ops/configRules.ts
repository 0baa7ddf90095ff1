import { BASE_CHAIN_ID, USDC_ON_BASE } from './base.ts'
import { parseMarketClock } from './clock.ts'
import type { Environment } from './config.ts'
import { arePublic, parseDnsServers } from './dnsServers.ts'
import { parseFinality } from './finalityPolicy.ts'
import { nodesOf } from './nodes.ts'

/** The role whose needs are checked. The supervisor has few: it fills in what the sandbox makes itself. */
export type ProcessRole = 'supervisor' | 'ingest' | 'engine' | 'api' | 'worker' | 'script'

type Key = keyof Environment

/**
 * What the schema of a single entry cannot say: what a role cannot do without, which entries contradict each other, and
 * what is refused with real money.
 * @param given keys that somebody has set; the others have their defaults.
 * @returns every problem as `KEY: words`, never with a value.
 */
export function problemsOf(config: Environment, role: ProcessRole, given: ReadonlySet<Key>): string[] {
  return [
    ...malformed(config),
    ...missing(config, role, given),
    ...contradictions(config, role),
    ...(config.MODE === 'live' ? refusedLive(config, role) : []),
  ]
}

/** Entries with a grammar of their own. */
function malformed({ MARKET_CLOCK, FINALITY }: Environment): string[] {
  const problems: string[] = []
  try {
    parseMarketClock(MARKET_CLOCK)
  } catch {
    problems.push('MARKET_CLOCK: must be marketMs:realMs:speed')
  }
  try {
    parseFinality(FINALITY)
  } catch (error) {
    problems.push((error as Error).message)
  }
  return problems
}

function missing(config: Environment, role: ProcessRole, given: ReadonlySet<Key>): string[] {
  const isLive = config.MODE === 'live'
  const isLiveStart = isLive && role === 'supervisor' //  it makes nothing itself then: that is lost with its folder
  const isPaid = takesMoney(role) || isLiveStart
  const isRemote = config.SETTLEMENT === 'facilitator'
  const sellsByCard = config.STRIPE_SECRET_KEY_FILE !== ''
  const needs: [Key, boolean, string][] = [
    ['BASE_RPC_URL', isLiveStart, 'MODE=live settles on a real chain'],
    ['RECEIVER_ADDRESS', isPaid, 'where payments arrive'],
    ['RECEIPT_KEY_FILE', isPaid, 'signs receipts; is backed up with the ledger'],
    ['SERVICE_SECRET_FILE', isPaid, 'names tokens, accounts and intents; is backed up with the ledger'],
    ['FACILITATOR_URL', isPaid && isRemote && config.FACILITATORS_FILE === '', 'SETTLEMENT=facilitator'],
    ['SETTLER_KEY_FILE', (role === 'worker' || isLiveStart) && !isRemote, 'SETTLEMENT=self'],
    ['STRIPE_WEBHOOK_SECRET_FILE', role === 'api' && sellsByCard, 'STRIPE_SECRET_KEY_FILE is set'],
    [
      'TRUSTED_PROXIES',
      isLive && (role === 'api' || role === 'supervisor'),
      'we speak HTTP behind the proxy that ends TLS: else all callers share its limits',
    ],
  ]
  const isSet = (key: Key) => (key === 'BASE_RPC_URL' ? given.has(key) : config[key] !== '') //  it has a default
  return needs
    .filter(([key, isNeeded]) => isNeeded && !isSet(key))
    .map(([key, , why]) => `${key}: is missing (${why})`)
}

function contradictions(config: Environment, role: ProcessRole): string[] {
  const problems: string[] = []
  if (takesMoney(role) && config.FACILITATORS_FILE !== '' && config.FACILITATOR_URL !== '')
    problems.push('FACILITATORS_FILE: contradicts FACILITATOR_URL; set one of them')
  if (config.SETTLEMENT === 'self')
    for (const key of ['FACILITATOR_URL', 'FACILITATORS_FILE', 'FACILITATOR_AUTH_FILE'] as const)
      if (config[key] !== '')
        problems.push(`${key}: contradicts SETTLEMENT=self; unset it or set SETTLEMENT=facilitator`)
  return problems
}

/** OPS-03: what only tests need, or what lets somebody in between read or forge, is refused with real money. */
function refusedLive(config: Environment, role: ProcessRole): string[] {
  const isUsdc = (config.USDC_ADDRESS || USDC_ON_BASE).toLowerCase() === USDC_ON_BASE.toLowerCase()
  const asksPublicly = arePublic(parseDnsServers(config.DNS_RESOLVERS) ?? [])
  const isWitnessed = serverOf(config.LEDGER_REDIS_URL) !== serverOf(config.REDIS_URL)
  const demands: [Key, boolean, string][] = [
    ['CHAIN_ID', config.CHAIN_ID === BASE_CHAIN_ID, `must be ${BASE_CHAIN_ID}`],
    ['USDC_ADDRESS', isUsdc, 'must be that of USDC on Base'],
    ['RECORDED', config.RECORDED === '0', 'must be 0'],
    ['MARKET_CLOCK', config.MARKET_CLOCK === '', 'must be empty'],
    ['FAULT_POINT', config.FAULT_POINT === '', 'must be empty'],
    ['DNS_RESOLVERS', asksPublicly, 'must be public addresses'],
  ]
  if (takesMoney(role))
    demands.push(['LEDGER_REDIS_URL', isWitnessed, 'must be another server than REDIS_URL, its witness,'])
  if (role === 'supervisor')
    demands.push([
      'VENUES',
      config.VENUES === 'live',
      'must be live, as made-up or old markets are not sold for money,',
    ])
  if (takesMoney(role) || role === 'supervisor') demands.push(...connectionDemands(config))
  return demands.filter(([, isMet]) => !isMet).map(([key, , what]) => `${key}: ${what} with MODE=live`)
}

function connectionDemands(config: Environment): [Key, boolean, string][] {
  const unlessUnset = ['FACILITATOR_URL', 'STRIPE_API_URL'] as const
  return [
    ['PUBLIC_URL', isHttps(config.PUBLIC_URL), 'must be https://'],
    ...unlessUnset.map((key): [Key, boolean, string] => [
      key,
      config[key] === '' || isHttps(config[key]),
      'must be https://',
    ]),
    ...SOURCES_OF_MONEY.map((key): [Key, boolean, string] => [
      key,
      config[key] === '' || nodesOf(config[key]).every((url) => isHttps(url) || isOnThisMachine(url)),
      'must be https://, or on this machine,',
    ]),
  ]
}

/** The sources trusted for what a chain other than Base holds, or for what a coin is worth. */
export const RAIL_SOURCES = [
  'ETHEREUM_RPC_URL',
  'POLYGON_RPC_URL',
  'ARBITRUM_RPC_URL',
  'SOLANA_RPC_URL',
  'BITCOIN_API_URL',
  'PRICE_A_URL',
  'PRICE_B_URL',
] as const

const SOURCES_OF_MONEY = ['BASE_RPC_URL', ...RAIL_SOURCES] as const

const takesMoney = (role: ProcessRole): boolean => role === 'api' || role === 'worker'

/** The server that a URL names, as far as its text tells; two databases of one server are the same server. */
function serverOf(redisUrl: string): string {
  if (!URL.canParse(redisUrl)) return redisUrl
  const { hostname, port, pathname } = new URL(redisUrl)
  return hostname === '' ? pathname : `${hostname.toLowerCase()}:${port || 6379}`
}

const isHttps = (url: string): boolean => url.startsWith('https://')

const isOnThisMachine = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
