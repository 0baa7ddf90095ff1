import { MINUTE } from '../../ops/units.ts'
import type { Holder } from '../ledger/intents.ts'
import type { Looked } from '../ledger/looked.ts'
import type { Rail, RailTransfer } from '../rails/rail.ts'
import { amountName } from './amounts.ts'
import { slackMs } from './attribute.ts'
import { readIntent, takeTransfer } from './money.ts'
import type { MoneyPorts } from './ports.ts'

/**
 * A rail is looked through again from this long before the moment up to which it was: amounts are reserved for less, and
 * what is not deep enough, or waits for others who may claim it, is met again.
 */
const LISTED_MS = 60 * MINUTE
/** A rail is looked through this long after nothing is open any more: its server may be behind. */
const AFTER_MS = 10 * MINUTE
/** How far a rail was looked through is written down this often. */
const NOTED_EVERY_MS = 1 * MINUTE

type Guard = (work: () => Promise<void>) => Promise<void>

/**
 * Takes the money that arrived for intents without anybody naming it, on all rails at once: one that does not answer
 * delays no other. What came while a rail, or this worker, was away is found afterwards, also for an intent whose time is
 * over by then (CHN-05).
 * @returns how many transfers were taken.
 */
export async function discover(ports: MoneyPorts, nowMs: number, guard: Guard): Promise<number> {
  const { intents } = ports
  let taken = 0
  //  a paid one may have lost its money and wait for more
  const open = await Promise.all([intents.waiting(1), intents.unanswered(1, nowMs)])
  const isAnyOpen = open.some(({ length }) => length > 0)
  const looked = await intents.looked()
  const now: Record<string, number> = isAnyOpen ? { open: nowMs } : {}
  const look = async (rail: Rail) => {
    const before = looked[rail.id]
    const isOwed = before !== undefined && before < (looked.open ?? 0) + AFTER_MS
    if (!isAnyOpen && !isOwed) return
    now[rail.id] = isOwed ? before : nowMs
    await guard(async () => {
      const takes = await arrivedOn(rail, now[rail.id]! - LISTED_MS, ports)
      now[rail.id] = nowMs
      for (const take of takes)
        await guard(async () => {
          if (await take()) taken++
        })
    })
  }
  await Promise.all(ports.rails.filter(({ discovers }) => discovers).map(look))
  await guard(() => intents.noteLooked(newsOf(now, looked)))
  return taken
}

const newsOf = (now: Looked, looked: Looked): Looked =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, ms]) => ms - (looked[name] ?? Number.NEGATIVE_INFINITY) >= NOTED_EVERY_MS,
    ),
  )

/** Transfers that arrived for waiting intents, each taken separately: one that cannot be taken must delay no other. */
async function arrivedOn(
  rail: Rail,
  sinceMs: number,
  ports: MoneyPorts,
): Promise<(() => Promise<boolean>)[]> {
  const owned = await ownedOf(await rail.since(sinceMs), ports)
  const spent = await ports.intents.spent(owned.map(({ transfer }) => transfer.key))
  return owned.flatMap(({ transfer, owner }, at) => {
    if (transfer.atMs > owner.untilMs || spent[at]) return []
    const take = async () => {
      const read = await readIntent(owner.intent, ports)
      if (read === null) return false
      const taking = await takeTransfer(owner.intent, read.intent, transfer, rail, false, ports)
      return taking.kind === 'booked'
    }
    return [take]
  })
}

/**
 * Those whose amount an intent had at their time. An amount that nobody had by its newest transfer is asked for once: dust
 * comes in thousands.
 */
async function ownedOf(
  arrived: readonly RailTransfer[],
  { intents }: MoneyPorts,
): Promise<{ transfer: RailTransfer; owner: Holder }[]> {
  const ownerOf = (transfer: RailTransfer) =>
    intents.hadBy(amountName(transfer), transfer.atMs + slackMs(transfer.rail))
  const newest = new Map(arrived.map((transfer) => [amountName(transfer), transfer])) //  newest last
  const had = new Set<string>()
  const ask = async ([name, transfer]: [string, RailTransfer]) => {
    if ((await ownerOf(transfer)) !== null) had.add(name)
  }
  await Promise.all([...newest].map(ask))
  const perhaps = arrived.filter((transfer) => had.has(amountName(transfer)))
  const owners = await Promise.all(perhaps.map(ownerOf))
  return perhaps.flatMap((transfer, at) => {
    const owner = owners[at]
    return owner == null ? [] : [{ transfer, owner }]
  })
}
