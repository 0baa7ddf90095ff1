import { parseArgs } from 'node:util'
import { formatUsdc, parseScaled } from '../../../ops/units.ts'
import { RefusedOrder } from '../books/order.ts'

export type AmendsOrder = { dataDir: string } & (
  | { action: 'list' }
  | { action: 'done'; sessionId: string; reason: string }
  | { action: 'credit'; operation: string; also: string[]; money: string; micro: bigint; reason: string }
)

/** Bounds the cost of a typing mistake. */
const MOST_MICRO = 1_000_000_000n
const MICRO_DIGITS = 6
const REASON_MAX = 300

export const USAGE = `What a person puts right: money that came and bought nothing.

  ops/amend [--data-dir DIR]                            lists card payments that bought nothing here, and credit granted by hand
  ops/amend --done SESSION --reason TEXT
  ops/amend --credit USD --money KEY --operation NAME --reason TEXT

  --done SESSION    you have seen to this card payment: its alert ends. What to do is in ops/README.md, By hand
  --credit USD      grants store credit for money that is proven to have come and that nothing delivers, and prints its claim code.
                    The money then buys nothing else, and a card payment is seen to. At most ${formatUsdc(MOST_MICRO)}
  --money KEY       which money, as the ledger calls it, so that it is granted for once:
                    tx:CHAIN_ID:0x…:logN a token (N: the transfer's log in its transaction)   tx:CHAIN_ID:0x…:value a coin
                    solana:SIGNATURE:N   bitcoin:TXID:N   card:SESSION, one of the list that nobody has seen to
  --also NAME       another transfer of the same transaction was granted for as NAME, or has paid for something and NAME is its key,
                    and you have seen on the chain that both came; repeatable, once for each of them
  --operation NAME  of your choice, 1 to 64 of a-z, 0-9 and -: the same again grants nothing more, and prints the same code again
  --reason TEXT     why, in up to ${REASON_MAX} characters, for the journal; no names of persons
  --data-dir DIR    folder of a sandbox; default: DATA_DIR, else the newest that runs

See first that the money lies so deep that it stays: it is not watched afterwards. Reads LEDGER_REDIS_URL and SERVICE_SECRET_FILE;
without LEDGER_REDIS_URL the sandbox that runs here. Changes nothing without --done and --credit.
Exit codes: 0 done, or nothing is open, 1 card payments wait for you, 2 it was refused or could not be done.
`

/** Keys as the ledger spells them, without leading zeros: another spelling would be other money, granted again. */
const MONEY =
  /^(?:tx:[1-9]\d{0,9}:0x[0-9a-f]{64}:(?:log(?:0|[1-9]\d{0,8})|value)|(?:solana:[1-9A-HJ-NP-Za-km-z]{64,88}|bitcoin:[0-9a-f]{64}):(?:0|[1-9]\d{0,8})|card:[\x21-\x7e]{1,255})$/

/** @throws RefusedOrder; null: help was asked for. */
export function readOrder(args: string[]): AmendsOrder | null {
  const values = parse(args)
  if (values.help) return null
  const { done, credit, money, operation, also, reason } = values
  const dataDir = values['data-dir'] ?? ''
  if (done !== undefined && credit !== undefined) throw new RefusedOrder('--done and --credit: one at a time')
  if (credit === undefined && (money ?? operation ?? also) !== undefined)
    throw new RefusedOrder('--money, --operation and --also: go with --credit')
  if (done === undefined && credit === undefined) {
    if (reason !== undefined) throw new RefusedOrder('--reason: goes with --done or --credit')
    return { action: 'list', dataDir }
  }
  if (reason === undefined || reason.trim() === '' || reason.length > REASON_MAX)
    throw new RefusedOrder(`--reason: 1 to ${REASON_MAX} characters`)
  if (done !== undefined) return { action: 'done', sessionId: done, reason, dataDir }
  if (operation === undefined || !/^[a-z0-9-]{1,64}$/.test(operation))
    throw new RefusedOrder('--operation: 1 to 64 of a-z, 0-9 and -')
  if (money === undefined || !MONEY.test(money))
    throw new RefusedOrder('--money: is none of the forms of --help')
  return { action: 'credit', operation, also: also ?? [], money, micro: microOf(credit!), reason, dataDir }
}

function microOf(text: string): bigint {
  const micro = parseScaled(text, MICRO_DIGITS)
  if (micro === null || BigInt(micro) <= 0n || BigInt(micro) > MOST_MICRO)
    throw new RefusedOrder(`--credit: USD above 0, up to ${formatUsdc(MOST_MICRO)}, at most 6 decimals`)
  return BigInt(micro)
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args,
      options: {
        done: text,
        credit: text,
        money: text,
        operation: text,
        also: { type: 'string', multiple: true },
        reason: text,
        'data-dir': text,
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new RefusedOrder(error instanceof Error ? error.message : 'unknown argument')
  }
}
