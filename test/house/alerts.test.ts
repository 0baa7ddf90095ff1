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

  test.each([
    ['OPS-13 gas that is worth stealing', 'SettlerGasHigh', 'max(settler_gas_wei) > 5e16', '5m', 'money'],
    [
      'VEN-01 a venue that does not answer well',
      'VenueStale',
      'time() * 1000 - max by (venue) (ingest_complete_timestamp_ms) > 120000',
      '2m',
      'data',
    ],
    [
      'VEN-05 prices in another unit',
      'VenueUnitChange',
      'sum by (venue) (increase(ingest_sweeps_total{outcome="unit_change"}[10m])) > 0',
      undefined,
      'data',
    ],
    [
      'I1 money that is not explained within ten minutes',
      'BooksDoNotJoin',
      'max by (rail) (books_unexplained_usdc) > 0',
      '10m',
      'money',
    ],
    [
      'I4 what is paid and not answered',
      'PaidNotAnswered',
      'max(unanswered_oldest_seconds) > 3600',
      '5m',
      'money',
    ],
    [
      'CHN-04 two nodes that contradict each other for longer than a reorganisation lasts',
      'NodesContradict',
      'sum by (chain) (increase(chain_contradictions_total[10m])) > 0',
      '15m',
      'money',
    ],
    [
      'VEN-13 a market that cannot be paired by a fault of ours',
      'PairingFails',
      'sum(increase(engine_pairing_faults_total[1h]) > 0 or engine_pairing_faults_total and on (job, instance) time() - process_start_time_seconds < 3600) > 0',
      undefined,
      'data',
    ],
    ['I9 what is not decided', 'PaymentUndecided', 'max(settling_oldest_seconds) > 900', '5m', 'money'],
    [
      'I23 an event loop that is late',
      'EventLoopLate',
      'max by (role) (nodejs_eventloop_lag_p99_seconds{role=~"api|worker"}) > 0.5',
      '10m',
      'money',
    ],
  ])('%s is looked at: %s', (_, name, expr, held, severity) => {
    const rule = rules.find(({ alert }) => alert === name)
    expect([rule?.expr, rule?.for, rule?.labels.severity]).toEqual([expr, held, severity])
  })

  test('ecosystem 3.1 a facilitator that keeps us out of its catalogue is told of, not only counted', () => {
    const { expr, labels, annotations } = rules.find(({ alert }) => alert === 'NotListed')!
    expect(expr).toBe('sum by (facilitator) (increase(facilitator_listed_total{status="rejected"}[1h])) > 0')
    expect(labels.severity).toBe('data')
    expect(annotations.summary).toContain('{{ $labels.facilitator }}')
  })

  test.each([
    ['MoneyLeftTheChain', 'money', ['finality_total{outcome=~"suspended|lost|credit_revoked|credit_lost"}']],
    ['StreamUnreadable', 'data', ['engine_bad_batches_total', 'ingest_unreadable_entries_total']],
    ['HistoryLost', 'data', ['history_lost_total', 'ingest_lost_batches_total', 'sales_journal_lost_total']],
  ])(
    '%s is told of what a process found as it started, too: it was counted before anybody looked',
    (name, severity, counters) => {
      const rule = rules.find(({ alert }) => alert === name)!
      const told = (counter: string) =>
        `sum(increase(${counter}[15m]) > 0 or ${counter} and on (job, instance) time() - process_start_time_seconds < 900) > 0`
      expect([rule.expr, rule.for, rule.labels.severity]).toEqual([
        counters.map(told).join(' or '),
        undefined,
        severity,
      ])
    },
  )

  test.each([
    ['MoneyNotReady', 'not_ready{role=~"api|worker",check!="boards"} > 0', '2m', 'money'],
    ['DutyStalls', 'time() - max by (duty) (duty_done_timestamp_seconds) > 900', '1m', 'money'],
    ['LedgerRowsWrong', 'max by (rule) (ledger_rows_wrong) > 0', undefined, 'money'],
    ['ReceiptKeyMissing', 'max(receipt_keys_missing) > 0', '5m', 'money'],
    ['StoreFilling', 'max by (store) (redis_memory_bytes / redis_memory_limit_bytes) > 0.8', '5m', 'money'],
    ['CardPaidForNothing', 'max(card_strays) > 0', undefined, 'money'],
    ['WhereaboutsUnsure', 'sum(increase(finality_total{outcome="unsure"}[15m])) > 0', '30m', 'money'],
    ['MoneyNotLookedFor', 'sum(increase(intents_total{outcome="unread"}[15m])) > 0', '30m', 'money'],
    ['SettlerCannotSend', 'max by (problem) (settler_problem) > 0', '2m', 'money'],
    ['SettlerGasLow', 'min(settler_gas_wei) < 2e15', '5m', 'money'],
    ['SettlementsFail', 'sum(increase(settler_failed_total[10m])) > 5', undefined, 'money'],
    [
      'FacilitatorContradicts',
      'sum by (facilitator) (increase(facilitator_alarms_total[15m])) > 0',
      undefined,
      'money',
    ],
    [
      'FacilitatorSignersChanged',
      'sum by (facilitator) (increase(facilitator_signer_changes_total[15m])) > 0',
      undefined,
      'money',
    ],
    ['NoFacilitator', 'max(facilitator_usable) == 0', '2m', 'money'],
    ['JournalBehind', 'max(sales_journal_backlog) > 1000', '15m', 'money'],
    ['Errors', 'sum by (route) (increase(http_answers_total{status="500"}[5m])) > 0', undefined, 'money'],
    ['NotReady', 'not_ready{role=~"ingest|engine"} > 0 or not_ready{check="boards"} > 0', '2m', 'data'],
    [
      'ProcessDown',
      'up == 0 or absent(up{job="api"}) or absent(up{job="worker"}) or absent(up{job="engine"}) or absent(up{job="ingest"})',
      '1m',
      'data',
    ],
    [
      'StoreClockSkew',
      'max by (role, store) (store_clock_ahead_ms) > 5000 or min by (role, store) (store_clock_ahead_ms) < -5000',
      '2m',
      'data',
    ],
    ['NoEngineLeads', '(sum(engine_leader) or vector(0)) < 1', '30s', 'data'],
    ['ArchiveBehind', 'max(ingest_archive_backlog_ms) / 1000 > 600', '5m', 'data'],
    ['HistoryBehind', 'max by (stream) (history_backlog) > 5000', '10m', 'data'],
  ])('%s: when %s for %s', (name, expr, held, severity) => {
    const rule = rules.find(({ alert }) => alert === name)
    expect([rule?.expr, rule?.for, rule?.labels.severity]).toEqual([expr, held, severity])
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
