import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readSource } from './sources.ts'

const Rules = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['money', 'data']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
})
const Receiver = z.object({ receiver: z.string(), matchers: z.array(z.string()).default([]) })
const Manager = z.object({
  route: Receiver.extend({ routes: z.array(Receiver) }),
  receivers: z.array(
    z.object({ name: z.string(), webhook_configs: z.array(z.object({ url_file: z.string() })) }),
  ),
})
const { groups } = Rules.parse(parse(readSource('ops/image/alerts.yml')))
const rules = groups.flatMap(({ rules }) => rules)
describe('ops/image/alerts.yml', () => {
  test('is what Prometheus reads and the compose file mounts', () => {
    const config = parse(readSource('ops/image/prometheus.yml'))
    expect(config.rule_files).toEqual(['/etc/prometheus/alerts.yml'])
    const { volumes } = parse(readSource('docker-compose.yml'), { merge: true }).services.prometheus
    expect(volumes).toContain('./ops/image/alerts.yml:/etc/prometheus/alerts.yml:ro')
  })

  test('VEN-08 a clock that is off by more than 30 s is looked at, whichever way it is off', () => {
    const { expr, for: held, labels, annotations } = rules.find(({ alert }) => alert === 'ClockSkew')!
    expect(expr.split(' or ')).toEqual([
      'max by (venue) (ingest_clock_ahead_ms) > 30000',
      'min by (venue) (ingest_clock_ahead_ms) < -30000',
    ])
    expect([held, labels.severity]).toEqual(['5m', 'data'])
    expect(annotations.summary).toMatch(/both venues the same: ours/)
  })

  test('ecosystem 3.1 a facilitator that keeps us out of its catalogue is told of, not only counted', () => {
    const { expr, labels, annotations } = rules.find(({ alert }) => alert === 'NotListed')!
    expect(expr).toBe('sum by (facilitator) (increase(facilitator_listed_total{status="rejected"}[1h])) > 0')
    expect(labels.severity).toBe('data')
    expect(annotations.summary).toContain('{{ $labels.facilitator }}')
  })

  test('names are given once', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  test('reach a person: Prometheus tells Alertmanager, which has a receiver for every severity', () => {
    const { alertmanagers } = parse(readSource('ops/image/prometheus.yml')).alerting
    expect(alertmanagers).toEqual([{ static_configs: [{ targets: ['alertmanager:9093'] }] }])
    const { volumes, secrets, networks } = parse(readSource('docker-compose.yml'), { merge: true }).services
      .alertmanager
    expect(volumes).toContain('./ops/image/alertmanager.yml:/etc/alertmanager/alertmanager.yml:ro')
    expect(networks).toEqual(['stores', 'outside'])
    const { route, receivers } = Manager.parse(parse(readSource('ops/image/alertmanager.yml')))
    const named = receivers.map(({ name }) => name)
    expect(
      [route, ...route.routes].map(({ receiver }) => receiver).filter((name) => !named.includes(name)),
    ).toEqual([])
    for (const { matchers } of route.routes) expect(matchers).toEqual(['severity="money"'])
    const files = receivers.flatMap(({ webhook_configs }) => webhook_configs.map(({ url_file }) => url_file))
    expect(files.map((file) => file.replace('/run/secrets/', ''))).toEqual(secrets)
  })
})
