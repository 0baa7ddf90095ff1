import type { Clock } from '../../../ops/clock.ts'
import type { Log } from '../../../ops/log.ts'
import type { Facts } from '../facts.ts'
import type { SurfaceAudit } from './compare.ts'
import { auditSurfaces } from './selfAudit.ts'

/**
 * What this process says of its own surfaces. It takes 0.3 s of CPU: where money is real that is spent before anything is
 * sold, and a sandbox, which should be up at once, spends it when somebody asks.
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
