import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { torCallPermit } from '../../../api/redeem/torCallPermit.ts'
import { torUnlock } from '../../../api/redeem/torUnlock.ts'
import { openLedger } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  book = openLedger(server.url)
})
afterAll(async () => {
  book?.close()
  await server?.stop()
})

const ask = async (permit: string, key = '') => {
  const headers: Record<string, string> = { 'x-service-permit': permit, 'idempotency-key': key }
  const request = {
    header: (name: string) => headers[name] ?? '',
    headerCount: (name: string) => (headers[name] ? 1 : 0),
  } as HttpRequest
  const { status, body } = await torCallPermit(book.ledger, 'sandbox').handler(request)
  return { status, json: JSON.parse(String(body)) }
}
const newPermit = () => `permit_${randomBytes(32).toString('base64url')}`

test('RPL-18 permits that somebody made up are refused, and nothing is written', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => ask(newPermit(), at % 2 ? `k${at}` : '')),
  )
  expect(new Set(answers.map(({ status, json }) => `${status} ${json.code}`))).toEqual(
    new Set(['409 permit_refused']),
  )
  expect(await book.redis.dbsize()).toBe(0)
})

test('one that was sold gives its call once; the same key gives the same grant', async () => {
  const permit = newPermit()
  const row = { sku: 'S', claim: 'c', expires: 4_000_000_000_000, calls: 1 }
  await book.redis.hset(`grant:permit:${digestOfToken(permit)}`, row)
  const first = await ask(permit, 'call')
  expect(first).toMatchObject({
    status: 200,
    json: { mode: 'sandbox', torCallPermit: { granted: true, callsRemaining: 0 } },
  })
  expect(await ask(permit, 'call')).toEqual(first)
  expect(await ask(permit, 'another')).toMatchObject({ status: 409 })
})

test('a key that was sent and cannot be read is refused, and takes no call', async () => {
  const request = {
    header: (name: string) => (name === 'x-service-permit' ? newPermit() : ''),
    headerCount: (_: string) => 1,
  } as HttpRequest
  expect((await torCallPermit(book.ledger, 'sandbox').handler(request)).status).toBe(400)
})

test('ENT-14, CHN-03 refused while its money is away, it works again with its money under the same key too', async () => {
  const permit = newPermit()
  const grant = `grant:permit:${digestOfToken(permit)}`
  const row = { sku: 'S', claim: 'c', expires: 1, heldExpires: 4_000_000_000_000, calls: 1 }
  await book.redis.hset(grant, row)
  expect(await ask(permit, 'call')).toMatchObject({ status: 409 })
  await book.redis.hset(grant, 'expires', row.heldExpires)
  const granted = await ask(permit, 'call')
  expect(granted).toMatchObject({ status: 200, json: { torCallPermit: { granted: true } } })
  expect(await ask(permit, 'call')).toEqual(granted)
})

test('ENT-14 a key counts for its permit only: under the same one another permit gives its own call', async () => {
  const [one, other] = [newPermit(), newPermit()]
  const row = { sku: 'S', claim: 'c', expires: 4_000_000_000_000, calls: 2 }
  for (const permit of [one, other]) await book.redis.hset(`grant:permit:${digestOfToken(permit)}`, row)
  const [first, second] = [await ask(one, 'same'), await ask(other, 'same')]
  expect(second.json.torCallPermit).toMatchObject({ granted: true, callsRemaining: 1 })
  expect(second.json.torCallPermit.redemptionId).not.toBe(first.json.torCallPermit.redemptionId)
  expect(await book.redis.hget(`grant:permit:${digestOfToken(other)}`, 'calls')).toBe('1')
})

test.each([
  ['sold', {}, true],
  ['over', { expires: 1_700_000_000_000 }, false],
  ['whose money went back', { revoked: 1_700_000_000_000 }, false],
])('4.2 POST /api/tor-mcp/verify: an unlock key that is %s', async (_, change, valid) => {
  const unlockKey = `unlock_${randomBytes(32).toString('base64url')}`
  const row = { sku: 'S', claim: 'c', expires: 4_000_000_000_000, ...change }
  await book.redis.hset(`grant:unlock:${digestOfToken(unlockKey)}`, row)
  const body = async () => Buffer.from(JSON.stringify({ unlockKey }))
  const request = { header: () => '', body } as unknown as HttpRequest
  const said = await torUnlock(book.ledger, 'sandbox').handler(request)
  const expiresAt = valid ? new Date(row.expires).toISOString() : null
  expect(JSON.parse(String(said.body))).toEqual({ ok: valid, mode: 'sandbox', valid, expiresAt })
})
