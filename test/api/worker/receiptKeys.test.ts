import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { receiptKeyFromPem } from '../../../api/receipts/key.ts'
import { keyRing } from '../../../api/receipts/keyRing.ts'
import { createReceiptKeysWatch } from '../../../api/worker/watchReceiptKeys.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
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
beforeEach(() => book.redis.flushall())

const refuse = (why: string): never => {
  throw new Error(why)
}
const newKey = () =>
  receiptKeyFromPem(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    refuse,
  )
const [former, present] = [newKey(), newKey()]

/** A worker that starts with these keys. @returns what its metrics say after the first look. */
async function missing(receiptKey: typeof former, publicKeys = ''): Promise<number> {
  const metrics = createMetrics('worker')
  const signing = { receiptKey, receiptKeys: keyRing(receiptKey, publicKeys, refuse) }
  await createReceiptKeysWatch({ redis: book.redis, signing, metrics, log: quietLog })()
  return Number(/^receipt_keys_missing\{.*\} (\d+)$/m.exec(await metrics.registry.metrics())?.[1])
}

describe('4.2 a receipt is checked under the key that signed it: whoever takes that key away is told', () => {
  test('the same key again, and one that was rotated by its two steps: nothing', async () => {
    expect(await missing(former)).toBe(0)
    expect(await missing(former)).toBe(0)
    expect(await missing(former, present.publicKeyPem)).toBe(0)
    expect(await missing(present, former.publicKeyPem)).toBe(0)
  })

  test.each([
    ['another key was put in its place', () => missing(present)],
    [
      'rotated, and then the file of former keys is lost',
      async () => {
        await missing(present, former.publicKeyPem)
        return missing(present)
      },
    ],
  ])('%s: told until it is back', async (_, lose) => {
    await missing(former)
    expect(await lose()).toBe(1)
    expect(await missing(present)).toBe(1)
    expect(await missing(present, former.publicKeyPem)).toBe(0)
    expect(await missing(former)).toBe(1) //  and the other way round
    expect(await missing(former, present.publicKeyPem)).toBe(0)
  })

  test('DATA-06 in a full ledger too', async () => {
    await book.redis.config('SET', 'maxmemory', 1)
    await missing(former).finally(() => book.redis.config('SET', 'maxmemory', 0))
    expect(await missing(present)).toBe(1)
  })

  test('left out because it leaked: told until an operator says that it is known', async () => {
    await missing(former)
    expect(await missing(present)).toBe(1)
    await book.redis.srem('ledger:signers', former.keyId)
    expect(await missing(present)).toBe(0)
  })
})
