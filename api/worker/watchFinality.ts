import type { Address } from 'viem'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { DAY, HOUR, SECOND } from '../../ops/units.ts'
import type { FinalityLedger, WatchedClaim } from '../ledger/finality.ts'
import type { ClaimKey } from '../ledger/ledger.ts'
import { isOnChain, locate } from '../settlement/locate.ts'
import type { ChainHead, ChainView, PaymentChain, Settled } from '../settlement/port.ts'
import { type EntitledPorts, entitledOf, reversalOf } from './entitled.ts'

export type FinalityPorts = {
  finality: FinalityLedger
  chain: PaymentChain & ChainView
  answers: EntitledPorts
  chainId: number
  finalBlocks: number //  depth at which answered claims are no longer watched
  log: Log
  /** Told at once: a pass that breaks off later must not lose it. @param times at least 1. */
  onOutcome?(outcome: FinalityOutcome, times: number): void
}

export const FINALITY_OUTCOMES = [
  'final',
  'moved',
  'reopened',
  'forgotten',
  'suspended',
  'restored',
  'lost',
  'unsure',
] as const
export type FinalityOutcome = (typeof FINALITY_OUTCOMES)[number]
export type FinalityCounts = Record<FinalityOutcome, number>
type Count = (outcome: FinalityOutcome, times?: number) => void

/** Claims read at once. While the chain goes on, a pass is one batch, lowest block first; the rest waits. */
export const BATCH = 5_000
/** What a reorganisation dropped is mostly mined again within a few blocks; until then nothing is taken back. */
export const GRACE_MS = 30 * SECOND
/** A day of two-second blocks: a block not final by then never will be, or the node does not report finality. */
export const UNANSWERED_BLOCKS = 43_200n
/** A suspended claim whose money has not come back by then is booked as lost. */
export const LOST_AFTER_MS = 1 * DAY
/** Credit that is held for an open purchase then pays what is owed once the hold has ended. */
const HOLDS_END_MS = 3 * HOUR

/**
 * Settled is not final. Each pass compares the newest block with the previous one. While the chain goes on from it,
 * only new claims are looked at, since their block may have gone between two passes, and once more those that have
 * become deep enough, all with one call. After a reorganisation every claim is looked at, highest block first, and it
 * is not over until all of them were. A claim that moved is followed; one that is gone is settled anew if nothing was
 * delivered for it, else what it bought is taken back until its money returns (CHN-02, CHN-03). A claim without an
 * answer may wait for finality itself (CHN-06): it is watched until then, however deep. Safe to run twice.
 */
export function createFinalityWatch(ports: FinalityPorts) {
  const { finality, chain, chainId, onOutcome = () => {} } = ports
  let last: ChainHead | null = null
  const again = new Set<ClaimKey>() // missing at the last look, or above the newest block, however high
  let placed = new Set<ClaimKey>() // seen in place by then: whatever drops them also drops the last block
  const unread = new Set<ClaimKey>() // broken rows already reported; again only if they break again

  return async (nowMs: number): Promise<FinalityCounts> => {
    const counts: FinalityCounts = {
      final: 0,
      moved: 0,
      reopened: 0,
      forgotten: 0,
      suspended: 0,
      restored: 0,
      lost: 0,
      unsure: 0,
    }
    const count: Count = (outcome, times = 1) => {
      if (times === 0) return
      counts[outcome] += times
      onOutcome(outcome, times)
    }
    const head = await chain.head('latest')
    const goesOn = last !== null && (await chain.blockAt(last.number))?.hash === last.hash
    const keys = goesOn
      ? [...new Set([...again, ...(await finality.unfinal(BATCH))])]
      : (await finality.unfinal('all')).reverse()
    placed = new Set(goesOn ? keys.filter((key) => placed.has(key)) : [])
    if (!goesOn) {
      last = null
      again.clear()
    }
    let failed = false
    for (let from = 0; from < keys.length; from += BATCH)
      if (!(await lookAt(keys.slice(from, from + BATCH), { head, goesOn, nowMs }, count))) failed = true
    last = failed ? null : head
    return counts
  }

  /** @returns false if it could not be told where some of them are. */
  async function lookAt(
    keys: readonly ClaimKey[],
    { head, goesOn, nowMs }: { head: ChainHead; goesOn: boolean; nowMs: number },
    count: Count,
  ): Promise<boolean> {
    const { claims, broken } = await finality.watched(keys)
    reportBroken(keys, broken)
    const elsewhere = claims.filter(({ key }) => !isOnChain(key, chainId))
    await finality.forget(elsewhere.map(({ key }) => key)) //  other chains confirm in their own way
    const ours = claims.filter(({ key }) => isOnChain(key, chainId))
    const isDue = await dueAt(head, ours, ports)
    const asked = goesOn
      ? ours.filter(
          (claim) => isDue(claim) || claim.missing || again.has(claim.key) || !placed.has(claim.key),
        )
      : ours
    //  CHN-04: of a block above its newest a node says nothing; it is behind, or the chain has been cut back
    const isAbove = ({ settled }: WatchedClaim) => settled.blockNumber > head.number
    const suspects = asked.filter((claim) => !isAbove(claim))

    //  separately: the blocks between the new and the deep claims need not be read
    const [deep, young] = [suspects.filter(isDue), suspects.filter((claim) => !isDue(claim))]
    const inPlace = new Set([...(await stillThere(deep, chain)), ...(await stillThere(young, chain))])
    const final: { key: ClaimKey; blockNumber: bigint }[] = []
    let told = true
    for (const key of keys) again.delete(key)
    for (const { key } of asked.filter(isAbove)) again.add(key)
    const find = (claim: WatchedClaim) =>
      locate(chain, claim).catch((error) => {
        count('unsure') //  each time, for the alarm: it is looked for again in the next pass
        throw error
      })
    for (const claim of suspects) {
      try {
        const now = inPlace.has(placeOf(claim.settled)) ? claim.settled : await find(claim)
        if (now !== null) {
          const { blockNumber } = await noteThere(claim, now, ports, count)
          placed.add(claim.key)
          if (isDue({ ...claim, settled: now })) final.push({ key: claim.key, blockNumber })
        } else if (await noteGone(claim, ports, nowMs, count)) again.add(claim.key)
      } catch (error) {
        told = false
        ports.log.warn({ sku: claim.sku, reason: describeError(error) }, 'cannot tell where a payment is')
      }
    }
    count('final', await finality.final(final))
    return told
  }

  function reportBroken(keys: readonly ClaimKey[], broken: readonly ClaimKey[]): void {
    for (const key of broken)
      if (!unread.has(key))
        ports.log.error({ claim: key }, 'its row is broken: not watched until an operator repairs it')
    for (const key of keys) unread.delete(key)
    for (const key of broken) unread.add(key)
  }
}

/**
 * Which claims are deep enough to be looked at for the last time. One without an answer also has to be final by what the
 * node says, which is asked only if one is as deep.
 */
async function dueAt(
  head: ChainHead,
  claims: readonly WatchedClaim[],
  { chain, finalBlocks }: Pick<FinalityPorts, 'chain' | 'finalBlocks'>,
): Promise<(claim: WatchedClaim) => boolean> {
  const depth = ({ settled }: WatchedClaim) => head.number - settled.blockNumber + 1n
  const isDeep = (claim: WatchedClaim) => depth(claim) >= BigInt(finalBlocks)
  const waits = (claim: WatchedClaim) => !claim.isAnswered && depth(claim) < UNANSWERED_BLOCKS
  const finalized = claims.some((claim) => isDeep(claim) && waits(claim)) ? await newestFinal(chain) : null
  return (claim) =>
    isDeep(claim) && (!waits(claim) || (finalized !== null && claim.settled.blockNumber <= finalized.number))
}

/** null: the node does not say; then nothing that needs finality is final. */
const newestFinal = (chain: ChainView): Promise<ChainHead | null> => chain.head('finalized').catch(() => null)

/**
 * The claims' transfers that are still in place, read at once per receiver and token, and only over the blocks they
 * span: after a day of standstill, reading up to the newest block for every batch would read that whole day each time.
 */
async function stillThere(claims: readonly WatchedClaim[], chain: ChainView): Promise<Set<string>> {
  const ranges = new Map<string, { from: bigint; to: bigint }>()
  for (const { asset, payTo, settled } of claims) {
    const where = `${asset.toLowerCase()} ${payTo.toLowerCase()}`
    const at = settled.blockNumber
    const range = ranges.get(where) ?? { from: at, to: at }
    if (at < range.from) range.from = at
    if (at > range.to) range.to = at
    ranges.set(where, range)
  }
  const places = new Set<string>()
  for (const [where, { from, to }] of ranges) {
    const [asset, payTo] = where.split(' ') as [Address, Address]
    for (const inflow of await chain.inflows(asset, payTo, from, to)) places.add(placeOf(inflow))
  }
  return places
}

const placeOf = ({ tx, logIndex, blockNumber }: Pick<Settled, 'tx' | 'logIndex' | 'blockNumber'>): string =>
  `${blockNumber} ${tx} ${logIndex}`

/** @returns where the ledger has it now. */
async function noteThere(
  claim: WatchedClaim,
  now: Settled,
  { finality, answers, chainId, log }: FinalityPorts,
  count: Count,
): Promise<Settled> {
  const here = { ...claim, settled: now }
  let mayBeSuspended = claim.suspended
  let booked = claim.settled
  if (placeOf(now) !== placeOf(claim.settled) || claim.missing) {
    const outcome = await finality.move(claim.key, now, chainId, [
      reversalOf(claim, 'reversed', answers, `to ${now.tx}`),
      reversalOf(here, 'restored', answers, `at ${now.tx}`),
    ])
    if (outcome === 'taken') log.error({ sku: claim.sku, tx: now.tx }, 'a transfer pays two claims')
    if (outcome === 'moved') {
      count('moved')
      booked = now
      mayBeSuspended = true //  by another worker since it was read; from now on by nobody
    }
  }
  if (!mayBeSuspended) return booked
  const entry = reversalOf(here, 'restored', answers, `${claim.settled.blockNumber}`)
  const whole = await finality.find(claim.key)
  if (whole === null || !whole.suspended) return booked
  if ((await finality.restore(claim.key, entitledOf(whole, answers), entry)) === 'restored') count('restored')
  return booked
}

/** @returns whether it is missing, and to be looked at again. */
async function noteGone(
  claim: WatchedClaim,
  { finality, answers, chainId, log }: FinalityPorts,
  nowMs: number,
  count: Count,
): Promise<boolean> {
  const gone = await finality.gone(claim.key, claim.settled, chainId)
  if (gone === 'reopened' || gone === 'forgotten') count(gone)
  if (typeof gone !== 'number') return false
  if (!claim.suspended) {
    if (nowMs - gone < GRACE_MS) return true
    const entry = reversalOf(claim, 'reversed', answers, `${claim.settled.blockNumber}`)
    const whole = await finality.find(claim.key)
    if (whole === null) return true
    const outcome = await finality.suspend(claim.key, entitledOf(whole, answers), entry)
    if (outcome !== 'suspended') return true
    count('suspended')
    log.error({ sku: claim.sku, tx: claim.settled.tx }, 'a delivered payment has left the chain')
  } else if (nowMs - gone >= LOST_AFTER_MS) {
    const whole = await finality.find(claim.key)
    const owes = whole !== null && (await finality.lost(claim.key, entitledOf(whole, answers)))
    if (owes && nowMs - gone < LOST_AFTER_MS + HOLDS_END_MS) return true
    count('lost', await finality.forget([claim.key]))
    return false
  }
  return true
}
