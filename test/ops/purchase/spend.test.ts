import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { PurchaseEnd } from '../../../ops/purchase/outcomes.ts'
import type { AttemptView } from '../../../ops/purchase/report.ts'
import { spend } from '../../../ops/purchase/spend.ts'

type Reaction = (response: ServerResponse) => void
let stop = async () => {}
afterEach(() => stop())

/** One reaction a request, the last is repeated. */
async function spendAt(timeoutMs: number, ...reactions: Reaction[]) {
  let asked = 0
  const keys = new Set<string | undefined>()
  const server = createServer((request, response) => {
    keys.add(request.headers['idempotency-key'] as string | undefined)
    reactions[Math.min(asked++, reactions.length - 1)]!(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const attempts: AttemptView[] = []
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x402/v1/spread`
  const options = { deadlineMs: performance.now() + timeoutMs, tell() {}, attempts }
  const end = await spend(url, { 'idempotency-key': 'k' }, options).catch((error: unknown) => error)
  expect([...keys]).toEqual(asked === 0 ? [] : ['k'])
  return { end, asked, attempts }
}

const problem =
  (status: number, code: string, headers: Record<string, string> = {}): Reaction =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ ok: false, code }))
const good: Reaction = (response) => response.writeHead(200).end('{"ok":true}')
const cut: Reaction = (response) => response.destroy()
const hang: Reaction = () => {}

describe('a read that a pass or credit pays for', () => {
  test.each([
    ['503 with Retry-After', problem(503, 'settlement_pending', { 'retry-after': '0' })],
    ['a cut connection', cut],
  ])('%s: the same again', async (_, first) => {
    const { end, asked, attempts } = await spendAt(20_000, first, good)
    expect(end).toMatchObject({ status: 200, json: { ok: true } })
    expect([asked, attempts.length]).toEqual([2, 2])
  })

  test.each([
    [problem(402, 'pass_unknown'), 'used_up'],
    [problem(402, 'pass_expired'), 'used_up'],
    [problem(402, 'pass_used_up'), 'used_up'],
    [problem(402, 'credit_refused'), 'used_up'],
    [problem(402, 'credit_short'), 'used_up'],
    [problem(402, 'pass_not_covering'), 'refused'], //   the pass still is good for other reads
    [problem(402, 'credit_not_covering'), 'refused'],
    [problem(409, 'bound_elsewhere'), 'refused'],
    [problem(400, 'invalid_parameter'), 'refused'],
  ])('a refusal is taken at once: %#, %s', async (reaction, outcome) => {
    const { end, asked } = await spendAt(20_000, reaction)
    expect(end).toBeInstanceOf(PurchaseEnd)
    expect({ outcome: (end as PurchaseEnd).outcome, asked }).toEqual({ outcome, asked: 1 })
  })

  test.each([
    [hang, 'unknown'], //                                        it may have cost a call
    [problem(503, 'ledger_unavailable', { 'retry-after': '9' }), 'unknown'],
    [problem(503, 'stale_data', { 'retry-after': '9' }), 'refused'], // says that nothing was taken
  ])('when the time is up: %#, %s', async (reaction, outcome) => {
    expect((await spendAt(700, reaction)).end).toMatchObject({ outcome })
  })
})
