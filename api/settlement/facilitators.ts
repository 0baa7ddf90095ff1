import { UnavailableError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { afterAnswer, type Circuit, CLOSED, isOpen } from './circuit.ts'
import type { Facilitator } from './facilitator.ts'
import type { SettleOutcome } from './facilitatorAnswers.ts'
import type { FacilitatorMetrics } from './facilitatorMetrics.ts'
import type { FacilitatorAsk } from './facilitatorWire.ts'

/**
 * @property usable false after its newest known /supported lacked our network.
 * @property heard to be told that it has answered.
 */
export type Member = { name: string; facilitator: Facilitator; usable(): boolean; heard(): void }

export type Facilitators = Pick<Facilitator, 'verify' | 'settle'>

type Call = 'verify' | 'settle'

/**
 * Several facilitators as one, in order of preference. Each has one circuit per call; a member with an open circuit is
 * passed over while another's is closed. A verification moves nothing, so it goes on to the next member when there is
 * no usable answer. A settlement is no probe: it goes first to members whose newest verification was answered, and to
 * the next only when the one asked provably never heard of it. An unknown outcome stays unknown here (FAC-16): the
 * chain decides before anybody sends the identical payment again. A success counts for the circuit once the chain shows
 * it, and counts for nothing until then (FAC-07).
 */
export function createFacilitators(
  members: readonly Member[],
  {
    metrics,
    log,
    nowMs = () => performance.now(),
  }: { metrics?: FacilitatorMetrics; log?: Log; nowMs?: () => number } = {},
): Facilitators {
  const circuits = new Map<string, Circuit>()
  const circuitOf = (call: Call, { name }: Member) => circuits.get(`${call} ${name}`) ?? CLOSED
  const note = (call: Call, member: Member, good: boolean) => {
    const next = afterAnswer(circuitOf(call, member), good, nowMs())
    circuits.set(`${call} ${member.name}`, next)
    metrics?.circuit.set({ facilitator: member.name, call }, isOpen(next, nowMs()) ? 1 : 0)
  }

  const shown = (member: Member, isShown: boolean) => {
    note('settle', member, isShown)
    if (isShown) return
    metrics?.alarms.inc({ facilitator: member.name, call: 'settle' })
    log?.error(
      { facilitator: member.name },
      'the chain shows nothing of what the facilitator says is settled',
    )
  }

  /** Members to ask, in order. If every circuit is open, only the one that reopens first. */
  const candidates = (call: Call): Member[] => {
    const usable = members.filter((member) => member.usable())
    const closed = usable.filter((member) => !isOpen(circuitOf(call, member), nowMs()))
    const isDoubtful = (member: Member) => Number(circuitOf('verify', member).failures > 0)
    if (closed.length === 0)
      return usable
        .toSorted((a, b) => circuitOf(call, a).openUntilMs - circuitOf(call, b).openUntilMs)
        .slice(0, 1)
    return call === 'verify' ? closed : closed.toSorted((a, b) => isDoubtful(a) - isDoubtful(b))
  }

  async function ask<T>(
    call: Call,
    one: (member: Member) => Promise<T>,
    isGood: (answer: T) => boolean | null,
  ): Promise<T> {
    let last: UnavailableError | null = null
    for (const [index, member] of candidates(call).entries()) {
      if (index > 0) metrics?.failovers.inc({ facilitator: member.name, call })
      try {
        const answer = await one(member)
        const good = isGood(answer)
        if (good !== false) member.heard()
        if (good !== null) note(call, member, good)
        return answer
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error
        note(call, member, false)
        last = error
      }
    }
    throw last ?? new UnavailableError('facilitator_unavailable', 'no facilitator supports our network')
  }

  return {
    verify: (asked: FacilitatorAsk) =>
      ask(
        'verify',
        ({ facilitator }) => facilitator.verify(asked),
        () => true,
      ),
    settle: (asked: FacilitatorAsk): Promise<SettleOutcome> =>
      ask<SettleOutcome>(
        'settle',
        async (member) => {
          const outcome = await member.facilitator.settle(asked)
          if (outcome.kind !== 'settled') return outcome
          return { ...outcome, shown: (isShown) => shown(member, isShown) }
        },
        ({ kind }) => (kind === 'settled' ? null : kind !== 'unknown'),
      ),
  }
}
