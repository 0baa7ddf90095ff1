import type { Log } from '../../ops/log.ts'
import { type Intent, isHeld, type Note } from '../classic/intent.ts'
import { type ChangePorts, change } from '../classic/money.ts'
import { noteToken } from '../classic/show.ts'
import { whereaboutsOf } from '../classic/whereabouts.ts'
import { digestOfToken } from '../entitlements/token.ts'
import type { CreditEntry, FinalityLedger } from '../ledger/finality.ts'
import type { Rail } from '../rails/rail.ts'
import type { EntitledPorts } from './entitled.ts'
import { GRACE_MS, LOST_AFTER_MS } from './watchFinality.ts'

export type NotePorts = ChangePorts & {
  rails: readonly Rail[]
  finality: FinalityLedger
  answers: EntitledPorts
  log: Log
}

/** What came of one look at money; `over`: it need not be looked at again. */
export type Looked<Outcome> = { outcome: Outcome | null; over: boolean }
export const NOTE_OUTCOMES = ['credit_revoked', 'credit_restored', 'credit_lost', 'unsure'] as const
export type NoteOutcome = (typeof NOTE_OUTCOMES)[number]

const WAITS: Looked<never> = { outcome: null, over: false }
const OVER: Looked<never> = { outcome: null, over: true }

/**
 * Looks at the money of a note: credit whose transfers have left their chain is taken back as far as it is unspent, the
 * rest is owed and freezes the account; all of it returns with the money. Each step may be repeated: the note is
 * written after the lot, which alone says what was taken.
 */
export async function lookAtNote(
  name: string,
  intent: Intent,
  note: Note,
  ports: NotePorts,
  nowMs: number,
): Promise<Looked<NoteOutcome>> {
  const { rails, finality, answers, log } = ports
  if (isHeld(note)) return OVER //  until its money is back: watchIntents looks for that
  if (!note.deposited) return WAITS
  const mark = (standing: Pick<Note, 'goneMs' | 'revoked'>) =>
    change(
      name,
      (now) => ({
        ...now,
        notes: now.notes.map((one) => (one.lot === note.lot ? { ...one, ...standing } : one)),
      }),
      ports,
    )
  const digest = digestOfToken(noteToken(answers.secret, name, note))
  const lot = { digest, micro: note.micro, account: intent.creditTo?.account ?? null }

  const where = await whereaboutsOf(
    intent.transfers.filter(({ key }) => note.transfers.includes(key)),
    rails,
  )
  if (where === 'unsure') return { outcome: where, over: false }
  if (where !== 'gone') {
    //  whatever the note says: who took it back may have died before the note was written
    const outcome = await finality.giveBack(lot, entryOf(digest, note, 'restored', answers, nowMs))
    if (note.goneMs !== null) await mark({ goneMs: null, revoked: false })
    if (note.revoked || outcome === 'restored') return { outcome: 'credit_restored', over: false }
    return { outcome: null, over: where === 'final' }
  }
  if (note.goneMs === null) {
    await mark({ goneMs: nowMs, revoked: false })
    return WAITS
  }
  const goneForMs = nowMs - note.goneMs
  if (note.revoked) return goneForMs < LOST_AFTER_MS ? WAITS : { outcome: 'credit_lost', over: true }
  if (goneForMs < GRACE_MS) return WAITS
  const taken = await finality.takeBack(lot, entryOf(digest, note, 'revoked', answers, nowMs))
  if (taken === 'changed') return WAITS
  await mark({ goneMs: note.goneMs, revoked: true })
  log.error({ kind: note.kind, transfers: note.transfers }, 'the money of store credit has left its chain')
  return { outcome: 'credit_revoked', over: false }
}

const entryOf = (
  digest: string,
  { kind, transfers, micro }: Note,
  change: CreditEntry['change'],
  { mode }: EntitledPorts,
  nowMs: number,
): CreditEntry => ({
  eventId: `${digest}:${change}:${nowMs}`,
  change,
  kind,
  transfers,
  mode,
  amountMicroUsdc: ((change === 'revoked' ? -1n : 1n) * micro).toString(),
})
