import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { BASE_CHAIN_ID, usdcOf } from './base.ts'
import { type ProcessRole, problemsOf } from './configRules.ts'
import { PUBLIC_RESOLVERS, parseDnsServers } from './dnsServers.ts'
import { inUrl, isHost } from './listen.ts'
import { Mode } from './mode.ts'
import { nodesOf } from './nodes.ts'
import { parseTrustedProxies } from './trustedProxies.ts'
import { DAY, MINUTE, SECOND } from './units.ts'

/** '' is how compose files and shells write "unset"; `Number` would make 0 of it, and of blanks too. */
const numeric = (schema: z.ZodType<number, number | undefined>) =>
  z.preprocess((text) => {
    if (text === undefined || text === '') return undefined
    return typeof text === 'string' && text.trim() === '' ? Number.NaN : Number(text)
  }, schema)
const count = (fallback: number, min = 1, max = 1_000_000_000) =>
  numeric(z.number().int().min(min).max(max).default(fallback))
const port = (fallback: number) => count(fallback, 0, 65_535)
const host = z.string().refine((text) => isHost(text), 'must be an IP or the name of a host')
const url = z
  .url({ protocol: /^https?$/ })
  .refine((text) => isDecodable(text), 'has a user or password whose % is no escape')
/** A node of a chain, or two of different operators that must agree on what decides about money. */
const nodes = z
  .string()
  .refine((text) => isOneOrTwo(nodesOf(text)), 'must be one node, or two different ones with a comma between')
  .refine((text) => nodesOf(text).every((each) => url.safeParse(each).success), {
    error: ({ input }) => firstWords(nodesOf(String(input))),
  })
/** Paths are appended to it, so it may have no query or fragment; its user and password would not be sent. */
export const baseUrl = url.refine(
  (text) => isBase(text),
  'must be http(s)://host[:port][/path]: user, password, query and fragment would not be sent',
)
/** An origin only: its client would misread a path, or drop it. */
const serverUrl = z
  .string()
  .refine((text) => originOf(text) !== null, 'must be an origin, http(s)://host[:port]')
/** Every address that buyers see is this origin plus a path, in the spelling by which clients compare origins. */
const publicOrigin = z
  .string()
  .refine((text) => text === '' || originOf(text) !== null, 'must be an origin, http(s)://host[:port]')
  .transform((text) => originOf(text) ?? '')
/** For what the client cannot read it takes its defaults: this machine, or database 0, which is somebody else's. */
const redisUrl = z
  .string()
  .refine(
    (text) => text.startsWith('unix:/') || isRedis(text),
    'must be redis(s)://[user:password@]host[:port][/database, 0 to 15] or unix:/path',
  )
const dnsServers = z
  .string()
  .refine((text) => parseDnsServers(text) !== null, 'must be a comma list of IP, IPv4:port or [IPv6]:port')
const trustedProxies = z
  .string()
  .refine((text) => parseTrustedProxies(text) !== null, 'must be a comma list of IP or CIDR')
/** Compared with what a browser sends, which has no path and no capitals. */
const origins = z
  .string()
  .refine((text) => originsOf(text) !== null, 'must be * or a comma list of origins, scheme://host[:port]')
  .transform((text) => originsOf(text)?.join(',') ?? '')
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
const maybe = <T extends z.ZodType<string, string>>(schema: T) => z.union([schema, z.literal('')]).default('')

/**
 * The whole environment of the service: name, default and one line of why for each entry. Parsed once
 * at start, every problem reported at once by its key (never its value), frozen, handed down in slices.
 * No other file reads the environment. Compose, image and sandbox use these same names.
 */
export const Environment = z.object({
  // --- world
  MODE: Mode.default('sandbox'), //                         whose money: local chain, or the real one
  VENUES: z.string().min(1).default('generator'), //        generator, live, or a folder of recordings
  VENUES_SEED: count(1, 0), //                              the generator's world
  VENUES_SIZE: count(400, 10, 200_000), //                  the generator's markets per venue
  VENUES_STEP_MS: count(5_000, 1_000), //                   time until 5 % of its events have moved
  MARKET_CLOCK: z.string().default(''), //                  marketMs:realMs:speed; empty: real time
  MARKET_SPEED: numeric(z.number().min(0.01).max(10_000).default(1)), // of a replay, market s per real s
  RECORDED: z.enum(['0', '1']).default('0'), //             answers about markets say recorded:true
  DATA_DIR: z.string().default(''), //                      empty: .data/<world> beside the code
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),

  // --- where we listen
  HOST: host.default('127.0.0.1'),
  PORT: port(8402), //               the public API; several api processes share it
  OPERATOR_PORT: port(9402), //      /healthz /readyz /metrics, for ingest /queues; the supervisor counts up from it
  PUBLIC_URL: publicOrigin.default(''), // origin that 402s and receipts name; empty: http://HOST:PORT
  API_PROCESSES: count(2, 1, 64),
  START_TIMEOUT_MS: count(2 * MINUTE, 1_000), //            ./ops/start gives up when a part is not ready by then
  CLICKHOUSE_PORT: port(0), //       sandbox only; 0: a free one
  CHAIN_PORT: port(0), //            sandbox only; 0: a free one
  CHAIN_BLOCK_TIME_S: z
    .union([z.literal('auto'), count(2, 1, 60)], 'must be auto, or a whole number from 1 to 60')
    .default(2), // sandbox only; Base has 2; auto: a block per transaction
  VENUE_A_PORT: port(0), //          sandbox only; 0: a free one
  VENUE_B_PORT: port(0), //          sandbox only; 0: a free one
  DNS_PORT: port(0), //              sandbox only; 0: a free one
  CARDPAY_PORT: port(0), //          sandbox only; 0: a free one
  ETHEREUM_PORT: port(0), //         sandbox only; 0: a free one
  POLYGON_PORT: port(0), //          sandbox only; 0: a free one
  ARBITRUM_PORT: port(0), //         sandbox only; 0: a free one
  SOLANA_PORT: port(0), //           sandbox only; 0: a free one
  BITCOIN_PORT: port(0), //          sandbox only; 0: a free one
  PRICES_PORT: port(0), //           sandbox only; 0: a free one
  REDIS_PORT: port(0), //            sandbox only; 0: a unix socket in DATA_DIR
  LEDGER_REDIS_PORT: port(0), //     sandbox only; 0: a unix socket in DATA_DIR

  // --- stores
  REDIS_URL: redisUrl.default('redis://127.0.0.1:6379'),
  LEDGER_REDIS_URL: redisUrl.default('redis://127.0.0.1:6380'),
  REDIS_MAX_MIB: count(4_096, 64), //                       memory of the Redis that ./ops/start or compose starts
  LEDGER_MAX_MIB: count(8_192, 16), //                      the same; in its last tenth nothing new is opened. 7 to 12 KB a sale of a day
  CLICKHOUSE_URL: serverUrl.default('http://127.0.0.1:8123'),
  CLICKHOUSE_USER: z.string().default('default'),
  CLICKHOUSE_PASSWORD: z.string().default(''),
  CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]*$/)
    .default('microdata'),
  CLICKHOUSE_ANALYST_PASSWORD: z.string().default(''), // of the read-only user `analyst`

  // --- venues
  VENUE_A_CATALOG_URL: baseUrl.default('https://gamma-api.polymarket.com'),
  VENUE_A_BOOK_URL: baseUrl.default('https://clob.polymarket.com'),
  VENUE_B_URL: baseUrl.default('https://external-api.kalshi.com/trade-api/v2'),
  POLL_EVERY_MS: count(5 * SECOND, 100), //                 between the starts of two sweeps of a venue
  VENUE_TIMEOUT_MS: count(10 * SECOND, 100),
  VENUE_PAGE_MAX_BYTES: count(48 * 1024 * 1024, 1_000), //  a page larger than this is refused
  QUOTE_STREAM_MAX_BATCHES: count(200_000), //              bound of the quote stream, in batches
  QUOTE_STREAM_MAX_MIB: count(2_048), //                    and in Redis memory: what waits for ClickHouse
  MARKET_MAX_AGE_MS: count(90 * SECOND, 1_000), //          older market data is not sold
  VENUE_FROZEN_AFTER_MS: count(10 * MINUTE, 0), //          same content this long counts as old; 0: never

  // --- money
  CHAIN_ID: count(BASE_CHAIN_ID), //                        84532: its test network, with MODE=sandbox and BASE_RPC_URL
  BASE_RPC_URL: nodes.default('http://127.0.0.1:8545'), //  or two, `https://one,https://other`: both must agree
  USDC_ADDRESS: maybe(address), //                          empty: the USDC contract of that chain
  RECEIVER_ADDRESS: z.union([address, z.literal('')]).default(''), // where USDC on Base arrives
  SETTLEMENT: z.enum(['self', 'facilitator']).default('self'),
  SETTLER_KEY_FILE: z.string().default(''), //              hex private key with gas, for SETTLEMENT=self
  SETTLER_ADDRESS: maybe(address), //                       published; must be the address of that key
  FACILITATOR_URL: maybe(baseUrl),
  FACILITATORS_FILE: z.string().default(''), //             several instead: JSON [{name, url, auth}, …], preferred first
  FACILITATOR_AUTH_FILE: z.string().default(''), //         JSON {verify:{…}, settle:{…}, supported:{…}} of headers
  EIP6492_FACTORIES: z.string().default(''), //             comma list of wallet factories that may be called
  RECEIPT_KEY_FILE: z.string().default(''), //              Ed25519 PKCS#8 PEM, readable by the owner only
  RECEIPT_PUBLIC_KEYS_FILE: z.string().default(''), //      other PEM public keys receipts verify with: former, next
  SERVICE_SECRET_FILE: z.string().default(''), //           32+ random bytes: tokens, accounts and intents are named by it; stays with its ledger for ever
  PAYMENT_TIMEOUT_S: count(300, 10, 3_600), //              maxTimeoutSeconds of an offer
  FINALITY: z.string().default('1:3'), //                   usdc:depth,…: depth from an amount on: blocks or 'finalized'
  FINAL_BLOCKS: count(64, 1, 10_000), //                    below this depth nobody looks for reorganisations
  SETTLE_WAIT_MS: count(20 * SECOND, 100), //               how long a request waits for its settlement
  ANSWER_TTL_MS: count(1 * DAY, MINUTE), //                 how long a paid answer can be fetched again

  // --- the other payment rails: each is offered when the URL it is read from and its receiver are both set
  ETHEREUM_RPC_URL: maybe(nodes), //                        JSON-RPC of chain 1, or two as for Base
  ETHEREUM_RECEIVER: maybe(address), //                     ETH, USDC and USDT on Ethereum
  POLYGON_RPC_URL: maybe(nodes), //                         JSON-RPC of chain 137, or two
  POLYGON_RECEIVER: maybe(address),
  ARBITRUM_RPC_URL: maybe(nodes), //                        JSON-RPC of chain 42161, or two
  ARBITRUM_RECEIVER: maybe(address),
  SOLANA_RPC_URL: maybe(url),
  SOLANA_RECEIVER: z.string().max(64).default(''), //       base58
  SOLANA_ALTERNATE_RECEIVER: z.string().max(64).default(''),
  SOL_BASE_RECEIVER: maybe(address), //                     a deposit address only: bridged SOL on Base
  SOL_BASE_TOKEN: maybe(address), //                        the token that SOL is there: what of it arrives is in the books then
  BITCOIN_API_URL: maybe(baseUrl), //                       an Esplora server
  BITCOIN_RECEIVER: z.string().max(100).default(''), //     a mainnet address with MODE=live
  PRICE_A_URL: baseUrl.default('https://api.exchange.coinbase.com'),
  PRICE_B_URL: baseUrl.default('https://www.bitstamp.net/api/v2'),

  SECURITY_CONTACT: z.union([z.url({ protocol: /^(mailto|https)$/ }), z.literal('')]).default(''), // mailto: or https: of security.txt; empty: there is none
  OWNERSHIP_PROOFS: z.string().default(''), //              comma list of EIP-191 signatures over PUBLIC_URL by a receiving address, for directories
  OPENING_SALE: z.enum(['0', '1']).default('0'), //         one free report for each of 100 buyers

  // --- card checkout: offered when the key is set
  STRIPE_SECRET_KEY_FILE: z.string().default(''), //        a test key with MODE=sandbox, a live one with MODE=live
  STRIPE_WEBHOOK_SECRET_FILE: z.string().default(''), //    signs the events at /cardpay/webhook
  STRIPE_API_URL: serverUrl.default('https://api.stripe.com'),

  // --- utility reads
  DNS_RESOLVERS: dnsServers.default(''), //                 comma list of IP or IP:port; empty: the sandbox's own, or in live mode two public ones
  UTILITY_THREADS: count(1, 0, 64), //                      per api process, for long texts; 35 MiB each; 0: one, started by the first such text

  // --- ./ops/buy
  BUYER_KEY_FILE: z.string().default(''), //                pays where --key-file is not given

  // --- limits
  FREE_RATE_PER_S: count(50_000), //                        unpaid and free requests per address
  TRUSTED_PROXIES: trustedProxies.default(''), //           comma list of IP or CIDR whose X-Forwarded-For says who calls; empty: the peer calls (not with MODE=live)
  MCP_ORIGINS: origins.default(''), //                      comma list of origins whose web pages may call /mcp besides ours; *: all
  FAULT_POINT: z.string().default(''), //                   tests only: CPn:kill or CPn:stop (sandbox)
})
export type Environment = z.infer<typeof Environment>

/** Refuses to start: every problem at once, by key and never by value. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
    this.stack = `ConfigError: ${this.message}` // whoever sets the environment has no use for a stack of our source
  }
}

export type Config = Readonly<Environment> & { readonly publicUrl: string }

/**
 * The system's variables, none of our settings; passed to every child: what a process needs to run at all, and where
 * Node keeps the compiled code of one start for the next, which costs a third less CPU then.
 */
export function systemEnvironment(env: Record<string, string | undefined>): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'TERM', 'NO_COLOR', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}

/** Keys somebody has set: the supervisor starts its own store only where none was named. */
export function givenKeys(env: Record<string, string | undefined>): ReadonlySet<keyof Environment> {
  return new Set(Environment.keyof().options.filter((key) => (env[key] ?? '') !== ''))
}

/**
 * How many letters of a name may be wrong, missing or too many; in short names only one, since many short words differ
 * by two.
 */
const MISSPELT = { most: 2, short: 8 } as const

/**
 * Variables whose names look like a misspelt setting: the setting meant would silently keep its default. Whatever else
 * an environment holds differs from every setting by more letters.
 */
export function misspeltSettings(env: Record<string, string | undefined>): { name: string; meant: string }[] {
  const settings = Environment.keyof().options
  const known: ReadonlySet<string> = new Set(settings)
  return Object.keys(env).flatMap((name) => {
    if (known.has(name)) return []
    const most = name.length < MISSPELT.short ? 1 : MISSPELT.most
    const [nearest] = settings
      .filter((setting) => env[setting] === undefined)
      .map((meant) => ({ meant, wrong: distance(name.toUpperCase(), meant) }))
      .filter(({ wrong }) => wrong <= most)
      .sort((x, y) => x.wrong - y.wrong)
    return nearest === undefined ? [] : [{ name, meant: nearest.meant }]
  })
}

/** @throws ConfigError with every problem of the environment that concerns this role. */
export function loadConfig(env: Record<string, string | undefined>, role: ProcessRole): Config {
  const { config, wrong } = readEnvironment(env)
  const isOfWrong = (problem: string) =>
    [...wrong.keys()].some((key) => problem.startsWith(`${key}:`) || problem.includes(`${key}=`))
  const problems = [
    ...wrong.values(),
    ...problemsOf(config, role, givenKeys(env)).filter((problem) => !isOfWrong(problem)),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze({
    ...config,
    DNS_RESOLVERS: config.DNS_RESOLVERS || (config.MODE === 'live' ? PUBLIC_RESOLVERS : ''),
    USDC_ADDRESS: config.USDC_ADDRESS || usdcOf(config.CHAIN_ID).address,
    publicUrl: config.PUBLIC_URL || `http://${inUrl(config.HOST)}:${config.PORT}`,
  })
}

/** What is wrong, by key and in words. Such a key then has its default, so that the rest can still be checked. */
function readEnvironment(env: Record<string, string | undefined>) {
  const { data, error } = Environment.safeParse(env, { error: wordsOf })
  const wrong = new Map<string, string>()
  for (const { path, message } of error?.issues ?? []) {
    const key = String(path[0])
    wrong.set(key, `${key}: ${message}`) //  the last is the narrowest
  }
  const good = Object.fromEntries(Object.entries(env).filter(([key]) => !wrong.has(key)))
  return { config: data ?? Environment.parse(good), wrong }
}

/** By a blank after the comma, two would be read as one with a long path, and that one alone would decide. */
const isOneOrTwo = (nodes: readonly string[]): boolean =>
  nodes.length <= 2 &&
  nodes.every((node) => !/\s|:\/\/.*:\/\//.test(node)) &&
  new Set(nodes.map((node) => (URL.canParse(node) ? new URL(node).href : node))).size === nodes.length

/** What is wrong with the first of some addresses that is. */
function firstWords(addresses: readonly string[]): string | undefined {
  const issues = addresses.flatMap((each) => url.safeParse(each, { error: wordsOf }).error?.issues ?? [])
  return issues[0]?.message
}

/** @returns undefined where the schema has words of its own. */
const wordsOf: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type')
    return issue.expected === 'int' ? 'must be a whole number' : 'must be a number'
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code !== 'invalid_format') return undefined
  if (issue.format === 'url') return 'must be http(s)://…'
  return issue.format === 'regex' ? `must look like ${issue.pattern}` : undefined
}

/**
 * @returns null when the text is no origin, or more than an origin and a slash. What the parser would repair
 *   (`https:foo`) is no origin either.
 */
function originOf(text: string): string | null {
  const isSpelledOut = /^https?:\/\/(?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?\/?$/i.test(text)
  return isSpelledOut && URL.canParse(text) ? new URL(text).origin : null
}

/** @returns null when one of them is no origin. */
function originsOf(text: string): string[] | null {
  const listed = text.split(',').map((each) => each.trim())
  const found = listed.filter((each) => each !== '').map((each) => originOf(each) ?? otherOriginOf(each))
  return found.every((each) => each !== null) ? found : null
}

/** `*`, or the origin that browsers give a page whose scheme is not of the web, such as an extension's. */
const otherOriginOf = (text: string): string | null =>
  text === '*' || /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/.test(text) ? text : null

/** True also of text that is no URL at all: that is refused in words of its own. */
function isBase(text: string): boolean {
  if (!URL.canParse(text)) return true
  const { username, password, origin, pathname, href } = new URL(text)
  return username === '' && password === '' && href === origin + pathname
}

function isDecodable(text: string): boolean {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  try {
    return typeof decodeURIComponent(username + password) === 'string'
  } catch {
    return false
  }
}

function isRedis(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text) || !isDecodable(text)) return false
  const { hostname, pathname } = new URL(text)
  return /^[^,]+$/.test(hostname) && /^(\/(\d|1[0-5])?)?$/.test(pathname)
}
