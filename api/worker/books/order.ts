import { parseArgs } from 'node:util'
import type { Address } from 'viem'

export type BooksOrder = {
  from: bigint | null //  null: a day of blocks before the last
  until: bigint | null // null: the newest
  receivers: Address[] // empty: the configured one
  json: boolean
  rebuild: boolean
  dataDir: string // of a sandbox; '': look for one where no LEDGER_REDIS_URL is set
}

export const USAGE = `Joins ledger and chain: what became of all USDC that arrived.

  ops/reconcile [--from-block N] [--to-block N] [--receiver 0x…]… [--json] [--rebuild] [--data-dir DIR]

  --from-block N    first block; default: 43,200 blocks (a day) before the last
  --to-block N      last block; default: the newest
  --receiver 0x…    where money arrives, repeatable; default: RECEIVER_ADDRESS
  --json            for programs; amounts are decimal text in micro-USDC
  --rebuild         the ledger has lost data and its processes have closed money: books the ordinary transfers that it
                    does not know, so that none of them buys a second time, and opens money again. First look at the
                    store and at what this prints without it: sold tokens and credit that were lost stay lost
  --data-dir DIR    DATA_DIR of a sandbox; default: the newest that runs

Reads LEDGER_REDIS_URL, BASE_RPC_URL, CHAIN_ID, USDC_ADDRESS and RECEIVER_ADDRESS; without LEDGER_REDIS_URL the sandbox
that runs here; --rebuild also REDIS_URL. Changes nothing without --rebuild. Exit codes: 0 all explained, 1 something is not, 2 it could not be told.
`

/** Why nothing was begun, in words for a terminal. */
export class RefusedOrder extends Error {}

/** @throws RefusedOrder; null: help was asked for. */
export function readOrder(args: string[]): BooksOrder | null {
  const values = parse(args)
  if (values.help) return null
  const order = {
    from: blockOf('from-block', values['from-block']),
    until: blockOf('to-block', values['to-block']),
    receivers: (values.receiver ?? []).map(receiverOf),
    json: values.json ?? false,
    rebuild: values.rebuild ?? false,
    dataDir: values['data-dir'] ?? '',
  }
  if (order.from !== null && order.until !== null && order.from > order.until)
    throw new RefusedOrder('--from-block: is after --to-block')
  return order
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        ...{
          'from-block': { type: 'string' },
          'to-block': { type: 'string' },
          'data-dir': { type: 'string' },
        },
        receiver: { type: 'string', multiple: true },
        ...{ json: { type: 'boolean' }, rebuild: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      },
    } as const).values
  } catch (error) {
    throw new RefusedOrder(error instanceof Error ? error.message : 'unknown argument')
  }
}

function blockOf(name: string, text: string | undefined): bigint | null {
  if (text === undefined) return null
  if (!/^\d{1,15}$/.test(text)) throw new RefusedOrder(`--${name}: must be a block number`)
  return BigInt(text)
}

function receiverOf(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new RefusedOrder('--receiver: must be 0x and 40 hex digits')
  return text.toLowerCase() as Address
}
