import { assert } from '../../ops/errors.ts'
import { DAY } from '../../ops/units.ts'
import { digestOfToken } from '../entitlements/token.ts'
import type { IntentStep } from '../ledger/intents.ts'
import { withoutOrphans } from './book.ts'
import { decodeIntent, encodeIntent, type Intent, isHeld, isWaiting, type Note } from './intent.ts'
import type { MoneyPorts } from './ports.ts'
import { noteToken } from './show.ts'

/** An intent that never had money is forgotten this long after the time for paying. */
export const UNPAID_KEPT_MS = 31 * DAY
/** Attempts against other writers of the intent: its buyer's requests and the worker. */
const TRIES = 20

type ReadPorts = Pick<MoneyPorts, 'intents'> & { answers: { secret: Buffer } }
/** What is needed to write an intent, and to put money that bought nothing onto an account. */
export type ChangePorts = ReadPorts & Pick<MoneyPorts, 'credits'>

export type Read = { name: string; version: number; intent: Intent }

export async function readIntent(name: string, { intents, answers }: ReadPorts): Promise<Read | null> {
  const found = await intents.find(name)
  if (found === null) return null
  return { name, version: found.version, intent: decodeIntent(found.body, answers.secret) }
}

/**
 * Changes an intent by a pure step, repeated on the newest state if another writer came first. Deposits what became
 * store credit before it returns; if this process dies on the way, the worker does.
 * @returns 'taken' when a transfer in it was spent on something else.
 */
export async function change(
  name: string,
  step: (intent: Intent) => Intent,
  ports: ChangePorts,
): Promise<Intent | 'taken'> {
  for (let tries = 0; tries < TRIES; tries++) {
    const read = await readIntent(name, ports)
    assert(read !== null, 'an intent with a writer is known')
    const next = withoutOrphans(step(read.intent))
    if (next === read.intent) return await deposit(read, ports)
    const outcome = await ports.intents.step(name, read.version, stepOf(read.intent, next))
    if (outcome === 'taken') return 'taken'
    if (outcome === 'stored') return await deposit({ name, version: read.version + 1, intent: next }, ports)
  }
  throw new Error('assumption broken: an intent has few writers')
}

/**
 * Puts money that bought nothing onto the buyer's account, or into a lot that a claim code opens if no secret was sent
 * or the account has another one by now. Each note once; the ledger says where it went, however often it is asked.
 */
async function deposit({ name, version, intent }: Read, ports: ChangePorts): Promise<Intent> {
  if (intent.notes.every((note) => isPlaced(note) || isHeld(note))) return intent
  const { credits, answers, intents } = ports
  const notes: Note[] = []
  for (const note of intent.notes) {
    const lot = digestOfToken(noteToken(answers.secret, name, note))
    const { account, auth } = intent.creditTo ?? { account: '', auth: null } //  a lot belongs to nobody yet
    const way = note.transfers.length === 0 ? 'back' : 'note' //  no money: credit that was spent
    const placed =
      isPlaced(note) || isHeld(note) ? null : await credits.deposit(lot, note.micro, account, auth, way)
    const to = placed?.outcome === 'deposited' ? 'account' : 'lot'
    notes.push(placed === null ? note : { ...note, deposited: true, to })
  }
  const done = { ...intent, notes }
  //  another writer's step deposits them again: no effect. From here on their money is watched
  await intents.step(name, version, stepOf(intent, done))
  return done
}

const isPlaced = ({ deposited, to }: Note): boolean => deposited && to !== null
const isCredited = ({ deposited }: Note): boolean => deposited

function stepOf(before: Intent, next: Intent): IntentStep {
  const known = new Set(before.transfers.map(({ key }) => key))
  //  Refunded: held credit was given back, or it was free. That costs its buyer nothing, so it is not kept forever
  const isUnpaid = (next.state === 'Expired' || next.state === 'Refunded') && next.transfers.length === 0
  return {
    body: encodeIntent(next),
    buyer: next.opener,
    place: next.place,
    site: next.site,
    price: next.payableMicro,
    waiting: isWaiting(next),
    unanswered: next.state === 'Confirmed' || next.notes.some(({ deposited }) => !deposited),
    watched: next.notes.filter(isCredited).length > before.notes.filter(isCredited).length,
    forgetAtMs: isUnpaid ? next.graceUntilMs + UNPAID_KEPT_MS : null,
    transfers: next.transfers.map(({ key }) => key).filter((key) => !known.has(key)),
  }
}
