/**
 * Every option of every command. Arguments, help and completion are derived from this table. `value` is what the help
 * calls the value; without it the option is a switch. `files`: a shell completes names of files.
 */
type Option = { help: string; value?: string; multiple?: true; short?: string; files?: true; hidden?: true }

export const OPTIONS = {
  q: { value: 'TEXT', help: 'the same as --param q=TEXT' },
  param: { value: 'NAME=VALUE', multiple: true, help: 'a query parameter; may be repeated' },
  payload: { value: 'FILE', files: true, help: 'JSON to send as X-Service-Payload' },
  'agent-id': {
    value: 'ID',
    help: 'x-agent-id to send; with credit: whose it is, default the address of the wallet',
  },
  pass: { help: 'pay with the kept hour pass; no money moves' },
  credit: { help: 'pay with kept store credit; no money moves' },
  'idempotency-key': {
    value: 'KEY',
    help: 'with --credit: ask again for what was paid under this key; costs nothing twice',
  },
  resume: {
    value: 'FILE',
    files: true,
    help: 'go on with a payment that was signed before: sends it again, signs nothing',
  },
  days: { value: 'N', help: 'buy again what was bought longer ago than this; default 25' },
  new: { help: 'buy another one, even when a kept one still is good' },
  show: { help: 'show what is kept; never buys' },
  buy: { value: 'day|week', help: 'buy a feed token of this length when no good one is kept' },
  follow: { help: 'stay, and print events as they come; a lost connection is taken up where it ended' },
  topic: { value: 'gaps|edges', help: 'only events of this topic' },
  from: { value: 'ID', help: 'begin behind the event with this id' },
  count: { value: 'N', help: 'stop after N messages' },
  offline: { help: 'ask nobody: verify with --keys or the keys that were kept' },
  keys: {
    value: 'FILE',
    files: true,
    help: 'published keys: a saved /.well-known/receipt-oracle.json',
  },
  base: { value: 'URL', help: 'another service than the sandbox; paying there needs --key-file' },
  'key-file': {
    value: 'FILE',
    files: true,
    help: 'private key that pays, 0x and 64 hex digits, readable by you only; - reads it from standard input',
  },
  'data-dir': { value: 'DIR', files: true, help: 'DATA_DIR of the sandbox; default: the newest that runs' },
  rpc: { value: 'URL', help: "JSON-RPC of the chain, to see the transfer there; the sandbox's is known" },
  'max-usd': { value: 'N', help: 'never pay more than this for one answer; default 1.00' },
  'max-usdc': { value: 'N', help: 'the same as --max-usd', hidden: true },
  'max-day-usd': { value: 'N', help: 'never pay more than this in one day (UTC)' },
  'max-session-usd': { value: 'N', help: 'never pay more than this under one --session' },
  session: { value: 'NAME', help: 'adds up purchases under this name, for seven days' },
  timeout: { value: 'S', help: 'give up after this many seconds; default 90' },
  json: { help: 'JSON on standard output and nothing else' },
  'show-secrets': { help: 'print tokens and secrets; without it they are kept, and shown as pass_ab12…' },
  help: { help: 'this text', short: 'h' },
} as const satisfies Record<string, Option>

export type OptionName = keyof typeof OPTIONS

export const optionOf = (name: OptionName): Option => OPTIONS[name]

/** Sets of options that commands share. */
export const COMMON = ['json', 'help'] as const satisfies OptionName[]
export const SELLER = ['base', 'data-dir', 'timeout'] as const satisfies OptionName[]
export const LIMITS = ['max-usd', 'max-day-usd', 'max-session-usd', 'session'] as const satisfies OptionName[]
export const PAYING = [
  'key-file',
  'rpc',
  'max-usdc',
  'show-secrets',
  ...LIMITS,
  ...SELLER,
] as readonly OptionName[]
