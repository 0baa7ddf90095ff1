import type { Clock } from '../../../ops/clock.ts'
import { assert, UnavailableError } from '../../../ops/errors.ts'
import { SECOND } from '../../../ops/units.ts'
import { confirmationsFor, depthOf } from '../confirmations.ts'
import type { Prices } from '../prices/prices.ts'
import { pricedQuote } from '../quote.ts'
import type { Rail, RailRecord } from '../rail.ts'
import { bitcoinScript } from '../receivers/bitcoinScript.ts'
import { canonicalBitcoinAddress } from '../receivers/refuseReceiver.ts'
import type { BitcoinServer } from './server.ts'
import { txidOf } from './txid.ts'
import type { BitcoinTransaction } from './wire.ts'

/** Below it nodes do not relay an output, whatever its kind. */
const DUST_SATS = 546n
/** Unconfirmed transactions whose first sight is remembered. */
const MAX_SEEN = 10_000
/** A block is stamped later than the median of this many before it. */
const MEDIAN_OF = 11

/**
 * Outputs to our address. An unconfirmed transaction shows with 0 confirmations and may yet be replaced, pay somebody
 * else or change its id; only its outpoint in a block of the best chain names it permanently (RAIL-08).
 */
export function bitcoinRail({
  record: configured,
  decimals,
  server,
  prices,
  clock,
}: {
  record: RailRecord
  decimals: number
  server: BitcoinServer
  prices: Prices
  clock: Clock
}): Rail {
  const record: RailRecord = {
    ...configured,
    receiverAddress: canonicalBitcoinAddress(configured.receiverAddress),
    alternateReceivers: configured.alternateReceivers.map(canonicalBitcoinAddress),
  }
  const receivers = new Set([record.receiverAddress, ...record.alternateReceivers])
  const seen = new Map<string, number>()

  function firstSeen(txid: string): number {
    const atMs = seen.get(txid) ?? clock.nowMs()
    seen.set(txid, atMs)
    if (seen.size > MAX_SEEN) seen.delete(seen.keys().next().value!)
    return atMs
  }

  /** @returns null when its block is no longer part of the best chain. */
  async function standing({
    txid,
    status,
  }: BitcoinTransaction): Promise<{ confirmations: number; atMs: number } | null> {
    if (!status.confirmed) return { confirmations: 0, atMs: firstSeen(txid) }
    const [tip, hash] = await Promise.all([server.tipHeight(), server.blockHash(status.block_height)])
    if (hash !== status.block_hash) return null
    //  a height alone is easily said (CHN-04)
    if (tip > status.block_height && (await server.blockHash(tip)) === null)
      throw new UnavailableError('chain_unavailable', 'bitcoin: its tip is no block that it has')
    return {
      confirmations: depthOf(BigInt(tip), BigInt(status.block_height)),
      //  a stamp may be two hours ahead; what is seen now was not made later
      atMs: Math.min(status.block_time * SECOND, clock.nowMs()),
    }
  }

  return {
    ...record,
    decimals,
    discovers: false,
    quote: (amountMicroUsdc) =>
      pricedQuote(amountMicroUsdc, { asset: 'BTC', decimals, smallest: DUST_SATS }, { prices, clock }),
    async byHash(tx, told = []) {
      const txid = canonicalTxid(tx)
      if (txid === null) return 'failed'
      const found = await server.transaction(txid)
      if (found !== null && (found.txid !== txid || txidOf(found) !== txid))
        throw new UnavailableError('chain_unavailable', 'bitcoin: another transaction')
      const stands = found === null ? null : await standing(found)
      if (found === null || stands === null) return 'unknown'
      const from = onlySender(found)
      const paid = new Map([...told, ...receivers].map((address) => [bitcoinScript(address), address]))
      return found.vout.flatMap(({ scriptpubkey, value }, index) => {
        const to = paid.get(scriptpubkey)
        return to !== undefined && value > 0
          ? [
              {
                key: `bitcoin:${txid}:${index}`,
                rail: record.id,
                tx: txid,
                index,
                from,
                to,
                ...stands,
                atomic: BigInt(value),
                byAuthorization: false,
              },
            ]
          : []
      })
    },
    //  the server forgets nothing; once the median block is of that time or later, no block of that time can still come
    async covers(atMs) {
      const newest = (await server.newestTimesS()).slice(0, MEDIAN_OF)
      return newest.filter((timeS) => timeS * SECOND >= atMs).length > MEDIAN_OF / 2
    },
    since: async () => assert(false, 'btc does not discover') as never,
    lookThrough: async () => assert(false, 'btc does not discover') as never,
    confirmationsFor: (amountMicroUsdc) => confirmationsFor('bitcoin', amountMicroUsdc),
  }
}

function canonicalTxid(tx: string): string | null {
  const match = /^(?:0[xX])?([0-9a-fA-F]{64})$/.exec(tx.trim())
  return match === null ? null : match[1]!.toLowerCase()
}

function onlySender({ vin }: BitcoinTransaction): string | null {
  const senders = new Set(vin.map(({ prevout }) => prevout?.scriptpubkey_address ?? null))
  return senders.size === 1 ? [...senders][0]! : null
}
