import type { Clock } from '../../clock.ts'
import { HOUR } from '../../units.ts'
import { refuse } from './errors.ts'
import type { Allowance, UserName } from './users.ts'

export type Admission = {
  /**
   * Waits for a free place of the user; the returned function gives it back.
   * @throws QueryError 202 when the queue is full or the wait too long, 201 when the hour's quota is used up.
   */
  enter(user: UserName, gone: AbortSignal): Promise<() => void>
  /** Running and waiting, all users. */
  load(): number
}

type Place = { running: number; waiting: Set<() => void>; hourMs: number; used: number }

/**
 * Places per user, so that the analyst never takes the service's, first come first served. The quota counts by
 * clock hours as ClickHouse's `FOR INTERVAL 1 hour` does: it starts anew at the full hour.
 */
export function createAdmission(allowances: Record<UserName, Allowance>, clock: Clock): Admission {
  const places: Record<UserName, Place> = { default: emptyPlace(), analyst: emptyPlace() }

  const leave = (place: Place) => () => {
    const next = place.waiting.values().next()
    if (next.done) place.running -= 1
    else next.value() // the place goes over to the next in line
  }

  return {
    async enter(user, gone) {
      const place = places[user]
      const allowance = allowances[user]
      countQuota(place, allowance, user, clock.nowMs())
      if (place.running < allowance.running) {
        place.running += 1
        return once(leave(place))
      }
      if (place.waiting.size >= allowance.waiting)
        throw refuse(
          'TOO_MANY_SIMULTANEOUS_QUERIES',
          `Too many simultaneous queries for user ${user}. Running: ${place.running}, waiting: ${place.waiting.size}.`,
        )
      await new Promise<void>((resolve, reject) => {
        const stop = (end: () => void) => () => {
          clearTimeout(timer)
          gone.removeEventListener('abort', giveUp)
          place.waiting.delete(go)
          end()
        }
        const tooLong = () =>
          refuse(
            'TOO_MANY_SIMULTANEOUS_QUERIES',
            `Too many simultaneous queries for user ${user}: no free place within ${allowance.waitMs} ms.`,
          )
        const go = stop(resolve)
        const giveUp = stop(() => reject(refuse('ABORTED', 'The client is gone.')))
        const timer = setTimeout(
          stop(() => reject(tooLong())),
          allowance.waitMs,
        )
        gone.addEventListener('abort', giveUp)
        place.waiting.add(go)
      })
      return once(leave(place))
    },
    load: () => Object.values(places).reduce((sum, { running, waiting }) => sum + running + waiting.size, 0),
  }
}

const emptyPlace = (): Place => ({ running: 0, waiting: new Set(), hourMs: 0, used: 0 })

function countQuota(place: Place, { perHour }: Allowance, user: UserName, nowMs: number): void {
  if (perHour === null) return
  const hourMs = Math.floor(nowMs / HOUR) * HOUR
  if (hourMs !== place.hourMs) {
    place.hourMs = hourMs
    place.used = 0
  }
  if (place.used >= perHour)
    throw refuse(
      'QUOTA_EXCEEDED',
      `Quota for user ${user} for 3600s has been exceeded: queries = ${place.used + 1}/${perHour}. Interval will end at ${new Date(hourMs + HOUR).toISOString()}.`,
    )
  place.used += 1
}

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
