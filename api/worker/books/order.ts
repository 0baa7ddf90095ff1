import type { Address, Hex } from 'viem'
import { RefusedOrder, readArguments } from '../../../ops/commandLine.ts'
import { BOOK_IDS, type BookId } from './tokenPlaces.ts'

/** What is done about what was found. join: nothing. */
const ACTIONS = ['join', 'rebuild', 'open', 'book'] as const

export type BooksOrder = {
  action: (typeof ACTIONS)[number]
  transactions: Hex[] // to book
  force: boolean
  rail: BookId | null //  null: USDC on Base; rebuild: all rails
  from: bigint | null //  null: see USAGE
  until: bigint | null // null: the newest
  receivers: Address[] // empty: the configured ones
  json: boolean
  dataDir: string // of a sandbox; '': look for one where no LEDGER_REDIS_URL is set
}

export const USAGE = `Joins ledger and chain: what became of all money that arrived.

  ops/reconcile [--rail ID] [--from-block N] [--to-block N] [--receiver 0x…]… [--json] [--data-dir DIR]
  ops/reconcile --book 0x… [--book 0x…]… [--rail ID] [--receiver 0x…]… [--data-dir DIR]
  ops/reconcile --rebuild | --open [--force]

  --rail ID         usdc_base (default), usdc_eth, usdt_eth, usdc_polygon or usdc_arbitrum, as far as they are configured; sol_base:
                    what came to SOL_BASE_RECEIVER of SOL_BASE_TOKEN, which buys nothing and stays unexplained until --book
  --from-block N    first block; default: a day of the rail's blocks before the last (43,200 on Base and Polygon, 7,200 on Ethereum,
                    345,600 on Arbitrum), and everything older that the worker has seen and that is still unexplained, unless
                    --receiver asks about others
  --to-block N      last block; default: the newest
  --receiver 0x…    where money arrives, repeatable; default: the configured one
  --json            for programs; amounts are decimal text in micro-USDC, of sol_base in billionths of a SOL. Names 20,000 of the unexplained: for more ask for fewer blocks
  --data-dir DIR    folder of a sandbox; default: DATA_DIR, else the newest that runs

  --book 0x…        you have looked at this transaction, and what it brought is to buy nothing here: its unknown transfers are
                    explained from now on. If it is not on the chain any more and a sale names it (not_on_chain): that sale is
                    reversed in the books and its receipt revoked, for good. What it gave its buyer is left alone
  --rebuild         the ledger has lost data and its processes have closed money: books the ordinary transfers that came while
                    it was open and that it does not know, on all rails, so that none of them buys a second time, and opens
                    money again. Looks from an hour before the ledger's last beat on, or from an earlier --from-block; where it
                    lost that too, 30 days back or from --from-block. First look at the store and at what this prints
                    without it: sold tokens and credit that were lost stay lost. Books part by part; after a failure the same command
                    goes on where it ended, and prints only what it had not
  --open            money is closed and the ledger has lost nothing, it was only stopped: opens money and books nothing
  --force           also while money is open: who has just paid by a transfer and not been seen yet loses it to --rebuild

Reads LEDGER_REDIS_URL, BASE_RPC_URL, CHAIN_ID, USDC_ADDRESS and RECEIVER_ADDRESS, and the same of other rails; without
LEDGER_REDIS_URL the sandbox that runs here; --rebuild and --open also REDIS_URL. Changes nothing without --book, --rebuild and --open.
Exit codes: 0 all explained, 1 something is not, 2 it could not be told to the end, or was refused. A node that does not answer a
call is asked again for half a minute.
`

/** @throws RefusedOrder; null: help was asked for. */
export function readOrder(args: string[]): BooksOrder | null {
  const values = parse(args)
  if (values.help) return null
  const transactions = (values.book ?? []).map(transactionOf)
  const asked = [
    ...(values.rebuild ? (['rebuild'] as const) : []),
    ...(values.open ? (['open'] as const) : []),
  ]
  const actions = [...asked, ...(transactions.length > 0 ? (['book'] as const) : [])]
  if (actions.length > 1) throw new RefusedOrder(`--${actions.join(' and --')}: one at a time`)
  const partly = (['to-block', 'rail', 'receiver'] as const).filter((name) => values[name] !== undefined)
  if (asked.length > 0 && partly.length > 0)
    throw new RefusedOrder(
      `--${asked[0]} opens all money, and looks at all of it: not with --${partly.join(', --')}`,
    )
  const ignored = (['from-block', 'to-block', 'json', 'force'] as const).filter(
    (name) => values[name] !== undefined,
  )
  if (actions[0] === 'book' && ignored.length > 0)
    throw new RefusedOrder(`--book looks at one transaction: not with --${ignored.join(', --')}`)
  const order: BooksOrder = {
    action: actions[0] ?? 'join',
    transactions,
    force: values.force ?? false,
    rail: values.rail === undefined ? null : railOf(values.rail),
    from: blockOf('from-block', values['from-block']),
    until: blockOf('to-block', values['to-block']),
    receivers: (values.receiver ?? []).map(receiverOf),
    json: values.json ?? false,
    dataDir: values['data-dir'] ?? '',
  }
  if (order.from !== null && order.until !== null && order.from > order.until)
    throw new RefusedOrder('--from-block: is after --to-block')
  return order
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const texts = { type: 'string', multiple: true } as const
  return readArguments({
    args,
    options: {
      rail: text,
      'from-block': text,
      'to-block': text,
      'data-dir': text,
      receiver: texts,
      book: texts,
      json: flag,
      rebuild: flag,
      open: flag,
      force: flag,
      help: { type: 'boolean', short: 'h' },
    },
  }).values
}

function blockOf(name: string, text: string | undefined): bigint | null {
  if (text === undefined) return null
  if (!/^\d{1,15}$/.test(text)) throw new RefusedOrder(`--${name}: must be a block number`)
  return BigInt(text)
}

/** Coins and other chains list no transfers by block (tokenPlaces.ts): no setting would make them readable here. */
function railOf(text: string): BookId {
  const rail = BOOK_IDS.find((id) => id === text)
  if (rail === undefined) throw new RefusedOrder(`--rail: must be one of ${BOOK_IDS.join(', ')}`)
  return rail
}

function receiverOf(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new RefusedOrder('--receiver: must be 0x and 40 hex digits')
  return text.toLowerCase() as Address
}

function transactionOf(text: string): Hex {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new RefusedOrder('--book: must be 0x and 64 hex digits')
  return text.toLowerCase() as Hex
}
