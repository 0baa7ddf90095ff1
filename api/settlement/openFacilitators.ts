import type { Config } from '../../ops/config.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { createFacilitator } from './facilitator.ts'
import { configuredFacilitators } from './facilitatorList.ts'
import { facilitatorMetrics } from './facilitatorMetrics.ts'
import { createFacilitators, type Facilitators } from './facilitators.ts'
import { watchSupported } from './watchSupported.ts'

export type OpenFacilitators = Facilitators & {
  /** Why none of them can be asked, or null. */
  problem(): string | null
  close(): Promise<void>
}

/** The configured facilitators, each watched, as one. */
export function openFacilitators({
  config,
  log,
  metrics,
}: {
  config: Config
  log: Log
  metrics: Metrics
}): OpenFacilitators {
  const entries = configuredFacilitators(config)
  const names = entries.map(({ name }) => name)
  const counters = facilitatorMetrics(metrics, names)
  const network = `eip155:${config.CHAIN_ID}`
  const members = entries.map((entry) => {
    const facilitator = createFacilitator({ ...entry, log, metrics: counters })
    const watch = watchSupported({ name: entry.name, facilitator }, { network, log, metrics: counters })
    return { name: entry.name, facilitator, watch, usable: watch.usable, heard: watch.heard }
  })
  return {
    ...createFacilitators(members, { metrics: counters, log }),
    problem: () => {
      const usable = members.filter((member) => member.usable())
      if (usable.length === 0) return `no facilitator supports ${network}`
      return usable.some(({ watch }) => watch.answers()) ? null : 'no facilitator answers'
    },
    async close() {
      for (const { watch, facilitator } of members) {
        watch.stop()
        await facilitator.close()
      }
    },
  }
}
