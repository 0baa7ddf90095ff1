import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/**
 * Names of labels; or with every value of each: then all series are there from the start, at 0. Whatever an alert reads
 * needs that: Prometheus sees no increase in a series that is born with its first event.
 */
export type Labels = readonly string[] | Record<string, readonly string[]>

/**
 * How often the event loop is looked at, which wakes an idle process each time. What is measured has it in it: the dashboard
 * takes it off.
 */
export const EVENT_LOOP_EVERY_MS = 50

/** One registry a process. Labels come from closed sets only: never from input. */
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
