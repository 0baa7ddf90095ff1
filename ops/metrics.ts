import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/**
 * Label names; or each with all its values, and then all series exist from the start, at 0. Everything an alert reads
 * needs that: Prometheus sees no increase in a series that appears with its first event.
 */
export type Labels = readonly string[] | Record<string, readonly string[]>

/**
 * How often the event loop's delay is sampled; each sample wakes an idle process. The measured delay includes this
 * interval, and the dashboard subtracts it.
 */
export const EVENT_LOOP_EVERY_MS = 50

/** One registry per process. Labels come from closed sets only: never from input. */
export function createMetrics(role: string) {
  const registry = new Registry()
  registry.setDefaultLabels({ role })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_EVERY_MS })
  const registers = [registry]
  return {
    registry,
    counter: (name: string, help: string, labels: Labels = []) =>
      born(new Counter({ name, help, labelNames: namesOf(labels), registers }), labels),
    gauge: (name: string, help: string, labels: Labels = []) =>
      born(new Gauge({ name, help, labelNames: namesOf(labels), registers }), labels),
    histogram: (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

const namesOf = (labels: Labels): string[] => (isOpen(labels) ? [...labels] : Object.keys(labels))

const isOpen = (labels: Labels): labels is readonly string[] => Array.isArray(labels)

function born<Metric extends Counter | Gauge>(metric: Metric, labels: Labels): Metric {
  let series: Record<string, string>[] = isOpen(labels) ? [] : [{}]
  for (const [name, values] of isOpen(labels) ? [] : Object.entries(labels))
    series = series.flatMap((given) => values.map((value) => ({ ...given, [name]: value })))
  for (const given of series) metric.inc(given, 0)
  return metric
}
