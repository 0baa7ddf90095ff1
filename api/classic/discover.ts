import type { Log } from '../../ops/log.ts'
import { DAY, MINUTE } from '../../ops/units.ts'
import { HAD_KEPT_MS, type Holder } from '../ledger/intents.ts'
import type { Looked } from '../ledger/looked.ts'
import type { Rail, RailTransfer } from '../rails/rail.ts'
import { amountName } from './amounts.ts'
import { slackMs } from './attribute.ts'
import { readIntent } from './money.ts'
import type { MoneyPorts } from './ports.ts'
import { type Taking, takeTransfer } from './take.ts'

/**
 * A rail is looked through again from this long before the moment up to which it was: amounts are reserved for less. What
 * is not deep enough, or waits for others who may claim it, is met again: it is looked through no further meanwhile.
 */
const LISTED_MS = 60 * MINUTE
/** A rail is looked through this long after nothing is open any more: its server may be behind. */
const AFTER_MS = 10 * MINUTE
/** How far a rail was looked through is written down this often. */
const NOTED_EVERY_MS = 1 * MINUTE

/** A rail that is this far behind is told of, unless it gets on; it is looked through a day at a time. */
const BEHIND_MS = 1 * DAY

/** Does one piece of a pass; if it fails, counts and tells that, and the pass goes on. */
export type Guard = (work: () => Promise<void>) => Promise<void>

/**
 * Takes the money that arrived for intents without anybody naming it, on all rails at once: one that does not answer
 * delays no other. What came while a rail, or this worker, was away is found afterwards, also for an intent whose time is
 * over by then (CHN-05): each pass goes on where the one before ended, until it has come to the present.
 * @returns how many transfers were taken, and how many rails are far behind and did not get on.
 */
export async function discover(
  ports: MoneyPorts & { log: Log },
  nowMs: number,
  guard: Guard,
): Promise<{ taken: number; unread: number }> {
  const { intents, log } = ports
  const count = { taken: 0, unread: 0 }
  //  a paid one may have lost its money and wait for more
  const open = await Promise.all([intents.waiting(1), intents.unanswered(1, nowMs)])
  const isAnyOpen = open.some(({ length }) => length > 0)
  const looked = await intents.looked()
  const now: Record<string, number> = isAnyOpen ? { open: nowMs } : {}
  const tell = (rail: Rail, sinceMs: number, why: string) => {
    count.unread++
    log.error({ rail: rail.id, since: new Date(sinceMs).toISOString() }, why)
  }
  /** @returns when the oldest of those came that have to be met again. */
  const takeAll = async (rail: Rail, transfers: readonly RailTransfer[]): Promise<number> => {
    let againMs = Number.POSITIVE_INFINITY
    for (const { atMs, take } of await arrivedOn(rail, transfers, ports)) {
      let kind: Taking['kind'] = 'waits'
      await guard(async () => {
        kind = await take()
        if (kind === 'booked') count.taken++
      })
      if (kind === 'waits') againMs = Math.min(againMs, atMs)
    }
    return againMs
  }
  const look = async (rail: Rail) => {
    const before = looked[rail.id]
    const isOwed = before !== undefined && before < (looked.open ?? 0) + AFTER_MS
    if (!isAnyOpen && !isOwed) return
    const beganMs = isOwed ? before : nowMs
    now[rail.id] = beganMs
    const fromMs = Math.max(beganMs, nowMs - HAD_KEPT_MS)
    if (fromMs > beganMs)
      tell(rail, beganMs, 'whose the money was that came before a month is not known any more')
    const isBehind = fromMs < nowMs - BEHIND_MS
    //  first: what of the past takes long, or is gone, or waits for ever, keeps nobody waiting who pays now
    if (isBehind) await guard(async () => void (await takeAll(rail, await rail.since(nowMs - BEHIND_MS))))
    await guard(async () => {
      const { transfers, untilMs } = await rail.lookThrough(fromMs - LISTED_MS)
      const againMs = await takeAll(rail, transfers)
      now[rail.id] = Math.max(beganMs, Math.min(untilMs, nowMs, againMs))
    })
    if (isBehind && now[rail.id]! - beganMs < NOTED_EVERY_MS)
      tell(
        rail,
        beganMs,
        'a rail is not looked through any further: it does not answer, or a transfer of then cannot be taken',
      )
  }
  await Promise.all(ports.rails.filter(({ discovers }) => discovers).map(look))
  await guard(() => intents.noteLooked(newsOf(now, looked)))
  return count
}

const newsOf = (now: Looked, looked: Looked): Looked =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, ms]) => ms - (looked[name] ?? Number.NEGATIVE_INFINITY) >= NOTED_EVERY_MS,
    ),
  )

type Arrived = { atMs: number; take(): Promise<Taking['kind']> }

/** Those that arrived for waiting intents, each taken separately: one that cannot be taken must delay no other. */
async function arrivedOn(
  rail: Rail,
  transfers: readonly RailTransfer[],
  ports: MoneyPorts,
): Promise<Arrived[]> {
  const owned = await ownedOf(transfers, ports)
  const spent = await ports.intents.spent(owned.map(({ transfer }) => transfer.key))
  return owned.flatMap(({ transfer, owner }, at) => {
    if (transfer.atMs > owner.untilMs || spent[at]) return []
    const take = async () => {
      const read = await readIntent(owner.intent, ports)
      if (read === null) return 'refused'
      return (await takeTransfer(owner.intent, read.intent, transfer, rail, false, ports)).kind
    }
    return [{ atMs: transfer.atMs, take }]
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
