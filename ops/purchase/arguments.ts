import { parseArgs } from 'node:util'
import { MINUTE, parseUsdc, SECOND } from '../units.ts'
import { nearest } from './nearest.ts'
import { OPTIONS, type OptionName, optionOf } from './options.ts'
import { PurchaseEnd } from './outcomes.ts'

/** Spending limits of this run in micro-USDC; null: not given. `session`: '' when there is none. */
export type LimitArguments = {
  callMicroUsdc: bigint | null
  dayMicroUsdc: bigint | null
  sessionMicroUsdc: bigint | null
  session: string
}

/** What the command line asks for. Empty strings: not given. */
export type Arguments = {
  command: string //          '' when only help is wanted
  words: string[] //          what follows the command: path, SKU, URL, amount, file
  given: ReadonlySet<OptionName>
  help: boolean
  json: boolean
  showSecrets: boolean
  parameters: [name: string, value: string][]
  payloadFile: string
  agentId: string
  payWith: 'payment' | 'pass' | 'credit'
  idempotencyKey: string
  resume: string //           file of a payment that was signed before
  feedLength: '' | 'day' | 'week'
  topic: string
  fromId: string
  count: number | null
  days: number | null
  keysFile: string
  base: string
  keyFile: string
  dataDir: string
  rpc: string
  limits: LimitArguments
  timeoutMs: number
}

/** What the reader of arguments needs to know of a command. */
export type CommandShape = {
  name: string
  options: readonly OptionName[]
  maxWords: number
}

const DEFAULT_TIMEOUT_S = '90'
const MAX_TIMEOUT_S = 60 * (MINUTE / SECOND)
const BARE = 'buy' //  `ops/buy /x402/v1/spread` is `ops/buy buy /x402/v1/spread`

/** @throws PurchaseEnd `usage` that names the argument, with the nearest one that exists. */
export function readArguments(argv: string[], commands: readonly CommandShape[]): Arguments {
  const { values, positionals } = parse(argv)
  const command = commandOf(positionals, values, commands)
  const words = positionals[0] === command?.name ? positionals.slice(1) : positionals
  const given = new Set(Object.keys(values) as OptionName[])
  if (command !== null && values.help !== true) {
    for (const name of given)
      if (!command.options.includes(name))
        throw wrong(`--${name} is no option of ${command.name}${whoHas(name, commands)}`)
    if (words.length > command.maxWords)
      throw wrong(`one thing at a time: "${words[command.maxWords]}" is too many`)
  }
  if (values['max-session-usd'] !== undefined && values.session === undefined && command?.name !== 'limits')
    throw wrong('--max-session-usd: say which with --session')
  if (values.pass && values.credit) throw wrong('--pass and --credit: one of them pays')
  return {
    command: command?.name ?? '',
    words,
    given,
    help: values.help ?? false,
    json: values.json ?? false,
    showSecrets: values['show-secrets'] ?? false,
    parameters: [
      ...(values.q === undefined ? [] : [['q', values.q] as [string, string]]),
      ...(values.param ?? []).map(readParameter),
    ],
    payloadFile: values.payload ?? '',
    agentId: visible('agent-id', values['agent-id'], 128),
    payWith: values.pass ? 'pass' : values.credit ? 'credit' : 'payment',
    idempotencyKey: visible('idempotency-key', values['idempotency-key'], 64),
    resume: values.resume ?? '',
    feedLength: oneOf('buy', values.buy, ['day', 'week']),
    topic: values.topic ?? '',
    fromId: visible('from', values.from, 64),
    count: values.count === undefined ? null : whole('count', values.count, 1_000_000_000),
    days: values.days === undefined ? null : whole('days', values.days, 365),
    keysFile: values.keys ?? '',
    base: values.base === undefined ? '' : readBase(values.base),
    keyFile: values['key-file'] ?? '',
    dataDir: values['data-dir'] ?? '',
    rpc: values.rpc ?? '',
    limits: {
      callMicroUsdc: microUsdc('max-usd', values['max-usd'] ?? values['max-usdc']),
      dayMicroUsdc: microUsdc('max-day-usd', values['max-day-usd']),
      sessionMicroUsdc: microUsdc('max-session-usd', values['max-session-usd']),
      session: readSession(values.session),
    },
    timeoutMs: whole('timeout', values.timeout ?? DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S) * SECOND,
  }
}

type Values = ReturnType<typeof parse>['values']

function parse(line: string[]) {
  const argv = withReceiptIdsAsWords(line)
  const unknown = firstUnknown(argv)
  if (unknown !== null) {
    const hint = nearest(unknown, visibleOptions())
    throw wrong(`--${unknown} is no option${hint === null ? '' : `; did you mean --${hint}?`}`)
  }
  try {
    return parseArgs({ args: argv, options: PARSED, allowPositionals: true, strict: true })
  } catch (error) {
    throw wrong(error instanceof Error ? error.message.split('\n')[0]! : 'unreadable')
  }
}

const RECEIPT_ID_WITH_DASH = /^-[A-Za-z0-9_-]{21}$/ //  no option is as long

/**
 * One receipt id in 64 begins with `-`: people copy it like any other, so it is taken as a word and put behind the
 * `--`.
 */
function withReceiptIdsAsWords(argv: string[]): string[] {
  const isId = (word: string) => RECEIPT_ID_WITH_DASH.test(word)
  const end = argv.indexOf('--')
  const options = end === -1 ? argv : argv.slice(0, end)
  const ids = options.filter(isId)
  if (ids.length === 0) return argv
  const words = end === -1 ? [] : argv.slice(end + 1)
  return [...options.filter((word) => !isId(word)), '--', ...ids, ...words]
}

/** The table as node:util wants it, with each option's own type. */
type Parsed = {
  [Name in OptionName]: {
    type: (typeof OPTIONS)[Name] extends { value: string } ? 'string' : 'boolean'
    multiple: (typeof OPTIONS)[Name] extends { multiple: true } ? true : false
    short?: string
  }
}

const PARSED = Object.fromEntries(
  (Object.keys(OPTIONS) as OptionName[]).map((name) => {
    const { value, multiple = false, short } = optionOf(name)
    const type = value === undefined ? 'boolean' : 'string'
    return [name, { type, multiple, ...(short === undefined ? {} : { short }) }]
  }),
) as Parsed

export const visibleOptions = (): OptionName[] =>
  (Object.keys(OPTIONS) as OptionName[]).filter((name) => !optionOf(name).hidden)

function firstUnknown(argv: string[]): string | null {
  const { tokens } = parseArgs({
    args: argv,
    options: PARSED,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const unknown = tokens.find((token) => token.kind === 'option' && !(token.name in OPTIONS))
  return unknown?.kind === 'option' ? unknown.name : null
}

/** @returns null when only the general help is wanted. */
function commandOf(
  [first]: string[],
  values: Values,
  commands: readonly CommandShape[],
): CommandShape | null {
  const named = commands.find(({ name }) => name === (first ?? BARE))
  if (first === undefined) {
    if (values.resume !== undefined) return named ?? null
    if (values.help) return null
    throw wrong('what shall be done? Give a path, SKU or URL to buy, or a command')
  }
  if (named !== undefined) return named
  if (/^(\/|https?:|SKU_)/.test(first)) return commands.find(({ name }) => name === BARE) ?? null
  const hint = nearest(
    first,
    commands.map(({ name }) => name),
  )
  throw wrong(`"${first}" is no command, path, SKU or URL${hint === null ? '' : `; did you mean ${hint}?`}`)
}

function whoHas(option: OptionName, commands: readonly CommandShape[]): string {
  const names = commands.filter(({ options }) => options.includes(option)).map(({ name }) => name)
  return names.length === 0 ? '' : ` (of ${names.join(', ')})`
}

function readParameter(text: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw wrong(`--param ${text}: write it as name=value`)
  return [text.slice(0, equals), text.slice(equals + 1)]
}

function readBase(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw wrong('--base: must be http://… or https://…')
  return new URL(text).origin
}

function microUsdc(name: OptionName, text: string | undefined): bigint | null {
  if (text === undefined) return null
  const micro = parseUsdc(text)
  if (micro === null || micro <= 0n) throw wrong(`--${name}: a positive amount in USD, such as 0.25`)
  return micro
}

function whole(name: OptionName, text: string, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (value < 1 || value > max) throw wrong(`--${name}: a whole number from 1 to ${max}`)
  return value
}

/** Checks a value that is sent as a header of its own. */
function visible(name: OptionName, text: string | undefined, max: number): string {
  if (text === undefined) return ''
  if (!/^[\x21-\x7e]+$/.test(text) || text.length > max)
    throw wrong(`--${name}: 1 to ${max} visible ASCII characters`)
  return text
}

function oneOf<Word extends string>(
  name: OptionName,
  text: string | undefined,
  words: readonly Word[],
): Word | '' {
  if (text === undefined) return ''
  const word = words.find((each) => each === text)
  if (word === undefined) throw wrong(`--${name}: ${words.join(' or ')}`)
  return word
}

function readSession(text: string | undefined): string {
  if (text !== undefined && !/^[a-z0-9_-]{1,32}$/.test(text))
    throw wrong('--session: 1 to 32 of a to z, 0 to 9, _ and -')
  return text ?? ''
}

const wrong = (why: string) => new PurchaseEnd('usage', why)
