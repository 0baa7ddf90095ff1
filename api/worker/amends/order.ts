import { RefusedOrder, readArguments } from '../../../ops/commandLine.ts'
import { formatUsdc, parseScaled } from '../../../ops/units.ts'
import { accountOf } from '../../entitlements/credit.ts'

export type AmendsOrder = { dataDir: string } & (
  | { action: 'list' }
  | { action: 'done'; sessionId: string; reason: string }
  | { action: 'referral'; code: string }
  | { action: 'payout'; code: string; operation: string; micro: bigint; reason: string }
  | { action: 'credit'; operation: string; also: string[]; money: string; micro: bigint; reason: string }
)

/** Bounds the cost of a typing mistake. */
const MOST_MICRO = 1_000_000_000n
const MICRO_DIGITS = 6
const REASON_MAX = 300

export const USAGE = `What a person puts right, money that came and bought nothing, and pays out: earnings of referral codes.

  ops/amend [--data-dir DIR]                            lists card payments that bought nothing here, what was granted by hand and
                                                        what was paid out
  ops/amend --done SESSION --reason TEXT
  ops/amend --credit USD --money KEY --operation NAME --reason TEXT
  ops/amend --referral CODE                             shows what a referral code has earned and what is owed
  ops/amend --referral CODE --payout USD --operation NAME --reason TEXT

  --done SESSION    you have seen to this card payment: its alert ends. What to do is in ops/README.md, By hand
  --credit USD      grants store credit for money that is proven to have come and that nothing delivers, and prints its claim code.
                    The money then buys nothing else, and a card payment is seen to. At most ${formatUsdc(MOST_MICRO)}
  --money KEY       which money, as the ledger calls it, so that it is granted for once:
                    tx:CHAIN_ID:0x…:logN a token (N: the transfer's log in its transaction)   tx:CHAIN_ID:0x…:value a coin
                    solana:SIGNATURE:N   bitcoin:TXID:N   card:SESSION, one of the list that nobody has seen to
  --also NAME       another transfer of the same transaction was granted for as NAME, or has paid for something and NAME is its key,
                    and you have seen on the chain that both came; repeatable, once for each of them. Or NAME is the KEY of --money
                    itself: ops/reconcile has booked it, and you have seen that what it bought is lost, or that it bought nothing
  --referral CODE   as buyers name it: the stable id or address of who brought them
  --payout USD      you have paid this to the owner of the code: books it, and refuses more than is owed
  --operation NAME  of your choice, 1 to 64 of a-z, 0-9 and -: the same again grants and books nothing more; a code is printed again
  --reason TEXT     why, in up to ${REASON_MAX} characters, for the journal; no names of persons
  --data-dir DIR    folder of a sandbox; default: DATA_DIR, else the newest that runs

See first that the money lies so deep that it stays: it is not watched afterwards. Only a card payment that goes back is in the list
again (credited_and_gone); its credit stays. Reads LEDGER_REDIS_URL and SERVICE_SECRET_FILE; without LEDGER_REDIS_URL the sandbox
that runs here. Changes nothing without --done, --credit and --payout.
Exit codes: 0 done, or nothing is open, 1 card payments wait for you, 2 it was refused or could not be done.
`

/** Keys as the ledger spells them, without leading zeros: another spelling would be other money, granted again. */
const MONEY =
  /^(?:tx:[1-9]\d{0,9}:0x[0-9a-f]{64}:(?:log(?:0|[1-9]\d{0,8})|value)|(?:solana:[1-9A-HJ-NP-Za-km-z]{64,88}|bitcoin:[0-9a-f]{64}):(?:0|[1-9]\d{0,8})|card:[\x21-\x7e]{1,255})$/

/** The arguments of each order, the one that names it first. */
const ORDERS = {
  done: ['done', 'reason'],
  credit: ['credit', 'money', 'operation', 'also', 'reason'],
  referral: ['referral', 'payout', 'operation', 'reason'],
} as const satisfies Record<string, readonly (keyof Values)[]>
type OrderName = keyof typeof ORDERS
const NAMES = Object.keys(ORDERS) as OrderName[]
const takes = (order: OrderName, name: string) => (ORDERS[order] as readonly string[]).includes(name)

/** @throws RefusedOrder; null: help was asked for. */
export function readOrder(args: string[]): AmendsOrder | null {
  const { help, 'data-dir': dataDir = '', ...values } = parse(args)
  if (help) return null
  const given = Object.keys(values)
  const [order, second] = NAMES.filter((name) => given.includes(name))
  if (second !== undefined) throw new RefusedOrder(`--${order} and --${second}: one at a time`)
  if (order !== undefined) {
    const astray = given.find((name) => !takes(order, name))
    if (astray !== undefined) throw new RefusedOrder(`--${astray}: does not go with --${order}`)
    return { ...READ[order](values), dataDir }
  }
  const [alone] = given
  if (alone === undefined) return { action: 'list', dataDir }
  const owners = NAMES.filter((name) => takes(name, alone)).map((name) => `--${name}`)
  throw new RefusedOrder(`--${alone}: goes with ${owners.join(' or ')}`)
}

type Values = Omit<ReturnType<typeof parse>, 'help' | 'data-dir'>
type Bare<Order> = Order extends unknown ? Omit<Order, 'dataDir'> : never

const READ: Record<OrderName, (values: Values) => Bare<AmendsOrder>> = {
  done: ({ done, reason }) => ({ action: 'done', sessionId: done!, reason: reasonOf(reason) }),
  credit({ credit, money, operation, also = [], reason }) {
    const kept = { reason: reasonOf(reason), operation: operationOf(operation) }
    if (money === undefined || !MONEY.test(money))
      throw new RefusedOrder('--money: is none of the forms of --help')
    return { action: 'credit', ...kept, also, money, micro: microOf('credit', credit!) }
  },
  referral({ referral, payout, operation, reason }) {
    const code = accountOf(referral!)
    if (code === null) throw new RefusedOrder('--referral: a code is 1 to 128 visible ASCII characters')
    if (payout === undefined && (operation ?? reason) !== undefined)
      throw new RefusedOrder('--operation and --reason: go with --payout')
    if (payout === undefined) return { action: 'referral', code }
    const kept = { reason: reasonOf(reason), operation: operationOf(operation) }
    return { action: 'payout', ...kept, code, micro: microOf('payout', payout) }
  },
}

function reasonOf(text: string | undefined): string {
  if (text === undefined || text.trim() === '' || text.length > REASON_MAX)
    throw new RefusedOrder(`--reason: 1 to ${REASON_MAX} characters`)
  return text
}

function operationOf(text: string | undefined): string {
  if (text === undefined || !/^[a-z0-9-]{1,64}$/.test(text))
    throw new RefusedOrder('--operation: 1 to 64 of a-z, 0-9 and -')
  return text
}

function microOf(name: string, text: string): bigint {
  const micro = parseScaled(text, MICRO_DIGITS)
  if (micro === null || BigInt(micro) <= 0n || BigInt(micro) > MOST_MICRO)
    throw new RefusedOrder(`--${name}: USD above 0, up to ${formatUsdc(MOST_MICRO)}, at most 6 decimals`)
  return BigInt(micro)
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  return readArguments({
    args,
    options: {
      done: text,
      credit: text,
      money: text,
      operation: text,
      also: { type: 'string', multiple: true },
      referral: text,
      payout: text,
      reason: text,
      'data-dir': text,
      help: { type: 'boolean', short: 'h' },
    },
  }).values
}
