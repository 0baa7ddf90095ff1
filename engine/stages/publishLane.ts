import { SECOND } from '../../ops/units.ts'
import type { GroupPace } from './groupPace.ts'

/** Without any news a lane looks this often whether something is due: data may have turned stale by itself. */
const IDLE_MS = 1 * SECOND

type LanePorts<Group> = {
  groups: readonly Group[]
  /** Freshness of the venues as text, while this engine may publish; else null. */
  freshness(): string | null
  /** Publishes one group. Never throws: the pace of a group that failed says when it is tried again. */
  publish(group: Group): Promise<void>
  /** Nothing is being published any more. */
  onIdle(): void
}

/**
 * Publishes groups one after the other. Each time the first group that is due goes out, so that what readers wait for most is
 * not held up by all the others.
 */
export class PublishLane<Group extends { pace: GroupPace }> {
  readonly #ports: LanePorts<Group>
  #stopped = false
  #working: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(ports: LanePorts<Group>) {
    this.#ports = ports
  }

  get isWorking(): boolean {
    return this.#working !== null
  }

  /** To be called when a group may be due earlier than it was. */
  schedule(): void {
    if (this.#stopped || this.#working !== null) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#begin(), this.#waitMs())
  }

  /** Waits for the group that is being published; no other one is begun. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#working
  }

  #waitMs(): number {
    const freshness = this.#ports.freshness()
    if (freshness === null) return IDLE_MS
    const dueInMs = this.#ports.groups.map(({ pace }) => pace.dueInMs(freshness))
    return Math.max(0, Math.min(IDLE_MS, ...dueInMs))
  }

  #begin(): void {
    this.#working = this.#publishDue().finally(() => {
      this.#working = null
      this.#ports.onIdle()
      this.schedule()
    })
  }

  async #publishDue(): Promise<void> {
    while (!this.#stopped) {
      const freshness = this.#ports.freshness()
      if (freshness === null) return
      const group = this.#ports.groups.find(({ pace }) => pace.dueInMs(freshness) <= 0)
      if (group === undefined) return
      await this.#ports.publish(group)
    }
  }
}
