import type { Clock } from '../../../ops/clock.ts'
import type { Log } from '../../../ops/log.ts'
import type { Facts } from '../facts.ts'
import type { SurfaceAudit } from './compare.ts'
import { auditSurfaces } from './selfAudit.ts'

/**
 * The audit of this process's own surfaces. It takes 0.3 s of CPU: with real money it runs before anything is sold; a
 * sandbox, which should be up at once, runs it when somebody asks.
 */
export function openSurfaceAudit(
  facts: Facts,
  { clock, log }: { clock: Clock; log: Log },
): () => SurfaceAudit {
  let made: SurfaceAudit | null = null
  const audit = () => {
    if (made !== null) return made
    made = auditSurfaces(facts, clock.nowMs())
    const { agree, disagreements } = made
    if (!agree) log.error({ disagreements }, 'surfaces say what is not charged')
    return made
  }
  if (facts.mode === 'live') audit()
  return audit
}
