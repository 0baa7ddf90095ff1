import { MINUTE } from '../../ops/units.ts'
import { type Intent, nextState, type Seen } from './intent.ts'
import { change } from './money.ts'
import type { MoneyPorts } from './ports.ts'
import { hasVanished } from './whereabouts.ts'

/**
 * A transfer that was seen has vanished when its chain has not had it for this long: after a reorganisation most return
 * with a later block, and a buyer who is asked for money meanwhile pays twice.
 */
export const GONE_FOR_MS = 5 * MINUTE

/**
 * An intent whose seen transfer has vanished waits for money again; otherwise its buyer would wait for confirmations
 * that never come. @throws UnavailableError when the server does not answer.
 */
export async function lookAtSeen(name: string, seen: Seen, ports: MoneyPorts): Promise<void> {
  const isGone = await hasVanished(seen, ports.rails)
  const nowMs = ports.clock.nowMs()
  await change(name, (now) => (now.seen?.key === seen.key ? goneOrBack(now, isGone, nowMs) : now), ports)
}

/** `seen` stays when it has vanished: if it returns, it counts from its first sight (RAIL-09). */
function goneOrBack(intent: Intent, isGone: boolean, nowMs: number): Intent {
  const { state, seen } = intent
  if (state !== 'Seen' || seen === null) return intent
  const { goneMs, ...there } = seen
  if (!isGone) return goneMs === undefined ? intent : { ...intent, seen: there }
  if (goneMs === undefined) return { ...intent, seen: { ...seen, goneMs: nowMs } }
  return nowMs - goneMs < GONE_FOR_MS ? intent : { ...intent, state: nextState(state, 'vanished') }
}
