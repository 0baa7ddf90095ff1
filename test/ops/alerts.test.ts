import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSource } from '../house/sources.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { freePort } from '../support/ports.ts'
import { type Running, runMain, until } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

/**
 * Every process, started as in production, must show the series that alerts.yml reads before anything has happened:
 * Prometheus sees no increase in a series that begins with its first event, and an alert without a series never fires.
 */
type Rule = { alert: string; expr: string; annotations: { summary: string } }
type Series = { name: string; labels: Record<string, string> }
type Selector = { name: string; matchers: { label: string; how: string; values: string[] }[] }

const { groups } = parse(readSource('ops/image/alerts.yml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
/** Prometheus makes it itself. */
const GIVEN = /\bup\b(\{[^}]*\})?/g
/** Exist only where the clocks can be compared: a missing value is not 0. */
const SOMETIMES = ['ingest_clock_ahead_ms']

const selectorsIn = (expr: string): Selector[] =>
  [...expr.replace(GIVEN, '').matchAll(/\b([a-z]+_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name, matchers = '']) => ({
      name: name!,
      matchers: [...matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].map(([, label, how, values]) => ({
        label: label!,
        how: how!,
        values: values!.split('|'),
      })),
    }),
  )

let chain: TestChain
let service: Service
const others: Running[] = []
const series: Series[] = []
const types = new Map<string, string>()

beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, env: { LOG_LEVEL: 'info' } })
  const dead = `http://127.0.0.1:${await freePort()}`
  const env = { REDIS_URL: service.redis.url, CLICKHOUSE_URL: dead, OPERATOR_PORT: '0', LOG_LEVEL: 'info' }
  const venues = { VENUE_A_CATALOG_URL: dead, VENUE_A_BOOK_URL: dead, VENUE_B_URL: dead }
  others.push(runMain('ingest/main.ts', { env: { ...env, ...venues } }), runMain('engine/main.ts', { env }))
  for (const running of [...others, service.apis[0]!]) await read(running)
  await read(service.worker!, 'settler_gas_wei') //  exists while the worker leads
  await service.startWorker({ SETTLEMENT: 'facilitator', FACILITATOR_URL: dead })
  await read(service.worker!)
})
afterAll(async () => {
  for (const running of others) await running.kill()
  await service?.stop()
  await chain?.stop()
})

async function read(running: Running, awaited = 'not_ready'): Promise<void> {
  const [, port] = await running.says(/"operatorPort":(\d+)/)
  const text = await until(`${awaited} is exported`, async () => {
    const answer = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return new RegExp(`^${awaited}\\b`, 'm').test(answer) ? answer : null
  })
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) types.set(name!, type!)
  for (const [, name, labels] of text.matchAll(/^([a-z0-9_]+)\{([^}]*)\} /gm))
    series.push({
      name: name!,
      labels: Object.fromEntries(
        [...labels!.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]),
      ),
    })
}

const fits = ({ matchers }: Selector, { labels }: Series, chosen: Record<string, string>): boolean =>
  matchers.every(({ label, how, values }) => {
    const value = labels[label] ?? ''
    if (how === '!=') return !values.includes(value)
    return chosen[label] === undefined ? values.includes(value) : value === chosen[label]
  })

describe('ops/image/alerts.yml', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s: whatever it reads is there from the start',
    (_, { expr, annotations }) => {
      const selectors = selectorsIn(expr).filter(({ name }) => !SOMETIMES.includes(name))
      for (const selector of selectors) {
        const mine = series.filter(({ name }) => name === selector.name)
        expect(mine, selector.name).not.toEqual([])
        //  only counters have an increase
        if (new RegExp(`(?:rate|increase)\\(${selector.name}\\b`).test(expr))
          expect(types.get(selector.name)).toBe('counter')
        for (const { label, how, values } of selector.matchers)
          for (const value of how === '!=' ? [] : values)
            expect(
              mine.filter((one) => fits(selector, one, { [label]: value })),
              `${selector.name}{${label}="${value}"}`,
            ).not.toEqual([])
        expect(mine.some((one) => fits(selector, one, {}))).toBe(true)
        for (const [, labels] of expr.matchAll(/by \(([^)]*)\)/g))
          expect(Object.keys(mine[0]!.labels), selector.name).toEqual(
            expect.arrayContaining(labels!.split(', ')),
          )
      }
      const aggregated = /\b(?:sum|max|min) (?:by \(([^)]*)\))?/.exec(expr)
      for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
        if (aggregated !== null)
          expect(aggregated[1]?.split(', ') ?? [], 'what is left after the aggregation').toContain(label)
        else expect(['instance', 'job', ...Object.keys(series[0]!.labels), 'check']).toContain(label)
    },
  )

  test.each(rules.map(({ alert, expr }) => [alert, expr]))(
    '%s: no side that is missing silences the other',
    (_, expr) => {
      expect(expr!.split('(').length, 'brackets').toBe(expr!.split(')').length)
      //  the sum of a vector and an empty one is empty; `or` is not
      expect(expr!.replace(/time\(\)/g, '')).not.toMatch(/\)\s*[-+*/]\s*(?:sum|max|min|count)/)
      //  the sum of no series is empty, and an empty vector is below no bound
      if (/^\(?sum\b.*\)\s*(?:<|==)/.test(expr!)) expect(expr).toMatch(/or vector\(0\)/)
    },
  )

  test('each role is missed when it is not found at all', () => {
    const { expr } = rules.find(({ alert }) => alert === 'ProcessDown')!
    const roles = new Set(series.map(({ labels }) => labels.role))
    expect([...roles].sort()).toEqual(['api', 'engine', 'ingest', 'worker'])
    expect([...expr.matchAll(/absent\(up\{job="(\w+)"\}\)/g)].map(([, role]) => role).sort()).toEqual(
      [...roles].sort(),
    )
  })
})
