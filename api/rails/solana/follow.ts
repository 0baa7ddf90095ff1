import type { Clock } from '../../../ops/clock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { SECOND } from '../../../ops/units.ts'
import type { LookedThrough, RailTransfer } from '../rail.ts'
import { accountsOf } from './deltas.ts'
import { SIGNATURES_AT_ONCE, type SolanaNode } from './node.ts'
import type { SolanaSignature, SolanaTransaction } from './wire.ts'

/** Pages per receiver and call; spam beyond that is an outage of discovery, never an overlooked payment. */
const MAX_PAGES = 20
/** Transactions read in one call, oldest first; the next call goes on. */
const MAX_READS = 500
const READS_AT_ONCE = 8
/** Transactions kept, so that each is read once: as many as one call can name, and those of calls before it. */
const MAX_KEPT = 2 * 2 * MAX_PAGES * SIGNATURES_AT_ONCE
/** A call that has not finished by then counts as an outage; the next one resumes where it ended. */
const DEADLINE_MS = 15 * SECOND

export type SolanaFollower = { since(fromMs: number): Promise<LookedThrough> }

/** Transfers to our receivers, oldest first: an answer may end early, but has no gap before its end. */
export function createFollower({
  node,
  receivers,
  clock,
  transfersOf,
}: {
  node: SolanaNode
  receivers: readonly string[]
  clock: Clock
  transfersOf(found: SolanaTransaction): RailTransfer[]
}): SolanaFollower {
  const read = new Map<string, readonly RailTransfer[]>()
  /** What calls name that are still reading: they count on what was there when they began. */
  const reading = new Set<ReadonlyMap<string, number>>()

  /** Oldest first, also within a slot. */
  async function signaturesSince(address: string, fromMs: number): Promise<SolanaSignature[]> {
    const all: SolanaSignature[] = []
    for (let page = 0; page < MAX_PAGES; page++) {
      const some = await node.signatures(address, all.at(-1)?.signature ?? null)
      const young = some.filter(({ blockTime }) => !blockTime || blockTime * SECOND >= fromMs)
      all.push(...young)
      if (young.length < some.length || some.length < SIGNATURES_AT_ONCE) return all.reverse()
    }
    throw new UnavailableError('chain_unavailable', 'too many transactions name the receiver')
  }

  /** @throws where the node has listed it for a receiver and then shows something else: kept, that would stay hidden. */
  async function readOne(signature: string): Promise<void> {
    const found = await node.transaction(signature)
    if (found === null)
      throw new UnavailableError('chain_unavailable', 'a finalised transaction is not there')
    if (found.transaction.signatures[0] !== signature)
      throw new UnavailableError('chain_unavailable', 'another transaction than was asked for')
    const named = accountsOf(found)
    if (!receivers.some((address) => named.includes(address)))
      throw new UnavailableError('chain_unavailable', 'a transaction does not name whom it was listed for')
    const transfers = transfersOf(found)
    if (found.meta.err === null) read.set(signature, transfers) //  listed without an error: with one it is read again
  }

  function forgetUnnamed(): void {
    const named = [...reading]
    for (const known of read.keys()) if (!named.some((one) => one.has(known))) read.delete(known)
  }

  return {
    async since(fromMs) {
      const nowMs = clock.nowMs()
      const endMs = nowMs + DEADLINE_MS
      const named = new Map<string, number>()
      for (const address of receivers)
        for (const { signature, err, blockTime } of await signaturesSince(address, fromMs))
          if (err === null) named.set(signature, (blockTime ?? 0) * SECOND || clock.nowMs())
      const ordered = [...named].sort(([, a], [, b]) => a - b).map(([signature]) => signature)
      const missing = ordered.filter((signature) => !read.has(signature))
      const now = missing.slice(0, MAX_READS)
      reading.add(named)
      try {
        for (let at = 0; at < now.length; at += READS_AT_ONCE) {
          if (clock.nowMs() > endMs)
            throw new UnavailableError('chain_unavailable', 'transfers: still reading')
          await Promise.all(now.slice(at, at + READS_AT_ONCE).map(readOne))
        }
        if (read.size > MAX_KEPT) forgetUnnamed()
      } finally {
        reading.delete(named)
      }
      const end = missing.length > now.length ? ordered.indexOf(missing[now.length]!) : ordered.length
      const transfers = ordered
        .slice(0, end)
        .flatMap((signature) => read.get(signature) ?? [])
        .filter(({ atMs }) => atMs >= fromMs)
        .sort((a, b) => a.atMs - b.atMs)
      return { transfers, untilMs: end < ordered.length ? Math.min(named.get(ordered[end]!)!, nowMs) : nowMs }
    },
  }
}
