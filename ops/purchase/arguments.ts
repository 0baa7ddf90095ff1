import { parseArgs } from 'node:util'
import { parseScaled, SECOND } from '../units.ts'
import { PurchaseEnd } from './outcomes.ts'

/** What the command line asks for. Empty strings: not given. */
export type Arguments = {
  help: boolean
  json: boolean
  target: string //           path, SKU or absolute URL
  parameters: [name: string, value: string][]
  base: string
  keyFile: string
  dataDir: string
  rpc: string
  resume: string //           file of a payment that was signed before
  maxMicroUsdc: bigint
  timeoutMs: number
}

const DEFAULT_MAX_USDC = '1.00'
const DEFAULT_TIMEOUT_S = '90'
const MAX_TIMEOUT_S = 3_600

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  q: { type: 'string' },
  param: { type: 'string', multiple: true },
  base: { type: 'string' },
  'key-file': { type: 'string' },
  'data-dir': { type: 'string' },
  rpc: { type: 'string' },
  resume: { type: 'string' },
  'max-usdc': { type: 'string' },
  timeout: { type: 'string' },
} as const

/** @throws PurchaseEnd `usage` that names the argument. */
export function readArguments(argv: string[]): Arguments {
  const { values, positionals } = parse(argv)
  const target = positionals[0] ?? ''
  if (positionals.length > 1) throw wrong(`one thing at a time: "${positionals[1]}" is too many`)
  const resume = values.resume ?? ''
  if (!values.help && target === '' && resume === '')
    throw wrong('what shall be bought? Give a path, SKU or URL')
  if (target !== '' && resume !== '')
    throw wrong('--resume already says what was bought; leave the path away')
  return {
    help: values.help ?? false,
    json: values.json ?? false,
    target,
    parameters: [
      ...(values.q === undefined ? [] : [['q', values.q] as [string, string]]),
      ...(values.param ?? []).map(readParameter),
    ],
    base: values.base === undefined ? '' : readBase(values.base),
    keyFile: values['key-file'] ?? '',
    dataDir: values['data-dir'] ?? '',
    rpc: values.rpc ?? '',
    resume,
    maxMicroUsdc: readMicroUsdc(values['max-usdc'] ?? DEFAULT_MAX_USDC),
    timeoutMs: readSeconds(values.timeout ?? DEFAULT_TIMEOUT_S) * SECOND,
  }
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true, strict: true })
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : 'unreadable')
  }
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

function readMicroUsdc(text: string): bigint {
  const scaled = parseScaled(text, 6)
  if (scaled === null || scaled <= 0) throw wrong('--max-usdc: a positive amount in USDC, such as 0.25')
  return BigInt(scaled)
}

function readSeconds(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > MAX_TIMEOUT_S) throw wrong(`--timeout: 1 to ${MAX_TIMEOUT_S} seconds`)
  return seconds
}

const wrong = (why: string) => new PurchaseEnd('usage', why)
