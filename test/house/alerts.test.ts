import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readSource, repositoryFiles } from './sources.ts'

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
const { groups } = Rules.parse(parse(readSource('ops/image/alerts.yml')))
const rules = groups.flatMap(({ rules }) => rules)
const source = repositoryFiles()
  .filter((file) => /^(?:api|engine|ingest|ops)\/.*\.ts$/.test(file))
  .map(readSource)
  .join('\n')

/** Metrics of the expression with the values their labels are compared with. */
function namedIn(expr: string) {
  const metrics = [...expr.matchAll(/\b([a-z]+_[a-z_]+)(?:\{([^}]*)\})?/g)]
  return metrics.map(([, name, labels = '']) => ({
    name: name!,
    values: [...labels.matchAll(/(\w+)=~?"([^"]*)"/g)].flatMap(([, label, values]) =>
      values!.split('|').map((value) => ({ label: label!, value })),
    ),
  }))
}

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

  test('names are given once', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s asks for metrics and labels that exist',
    (_, { expr, annotations }) => {
      const named = namedIn(expr)
      if (expr !== 'up == 0') expect(named).not.toEqual([])
      for (const { name, values } of named) {
        const made = new RegExp(`(counter|gauge|histogram)\\(\\s*'${name}',([^)]*)`).exec(source)
        expect(made, name).not.toBeNull()
        //  only what counts up can be asked for its increase
        if (new RegExp(`(?:rate|increase)\\(${name}\\b`).test(expr)) expect(made![1]).toBe('counter')
        for (const { label, value } of values) {
          expect(made![2], `${name}{${label}}`).toContain(`'${label}'`)
          if (label !== 'status') expect(source, value).toMatch(new RegExp(`\\b${value}\\b['":]`))
        }
        for (const by of [...expr.matchAll(/by \((\w+)\)/g)].map(([, label]) => label!))
          expect(made![2], `${name} by ${by}`).toContain(`'${by}'`)
      }
      for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
        expect(`${expr} by (instance)`).toContain(`(${label})`)
    },
  )
})
