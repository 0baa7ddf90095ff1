import type { Redis } from 'ioredis'
import type { HoldFor } from '../../api/ledger/credits.ts'
import type { ClaimTerms } from '../../api/ledger/ledger.ts'
import { createRedisLedger } from '../../api/ledger/redis.ts'
import type { Payment, Settled } from '../../api/settlement/port.ts'
import { createLog } from '../../ops/log.ts'
import { connectRedis } from '../../ops/redis.ts'
import { DAY } from '../../ops/units.ts'

export const quietLog = createLog('test', 'silent')

/**
 * Opens a ledger on a running Redis, with connections of its own that `close` ends.
 * @param through wraps the connection that the ledger uses.
 */
export function openLedger(
  url: string,
  {
    through = (redis) => redis,
    commandTimeoutMs,
  }: { through?(redis: Redis): Redis; commandTimeoutMs?: number } = {},
) {
  const connection = connectRedis(url, { log: quietLog, name: 'test-ledger', commandTimeoutMs })
  const redis = through(connection)
  const news = connectRedis(url, { log: quietLog, name: 'test-ledger-news', blocking: true })
  const ledger = createRedisLedger(redis, news, { answerTtlMs: DAY })
  return {
    redis,
    ledger,
    close: () => {
      connection.disconnect()
      news.disconnect()
    },
  }
}

const hex = (byte: number, bytes: number) => `0x${byte.toString(16).padStart(2, '0').repeat(bytes)}` as const

/** @param seed makes nonce and payer different. */
export function somePayment(seed: number, validBefore = 4_000_000_000n): Payment {
  return {
    chainId: 8453,
    asset: hex(0x83, 20),
    authorization: {
      from: hex(seed % 200, 20),
      to: hex(0xee, 20),
      value: 1_000n,
      validAfter: 0n,
      validBefore,
      nonce: `0x${seed.toString(16).padStart(64, '0')}`,
    },
    signature: hex(0x11, 65),
    signer: 'ecdsa',
  }
}

export function someTerms(change: Partial<ClaimTerms> = {}): ClaimTerms {
  return {
    fingerprint: 'f1',
    paymentHash: 'p1',
    sku: 'SKU_AG_PING_01',
    path: '/x402/v1/ping',
    purchasePath: 'x402',
    via: 'self',
    network: 'eip155:8453',
    asset: hex(0x83, 20),
    payTo: hex(0xee, 20),
    payer: hex(0x01, 20),
    amountMicroUsdc: 1_000n,
    snapshotVersion: null,
    creditTo: null,
    draft: '{"result":{},"snapshotVersion":null}',
    ...change,
  }
}

export const someSettled = (seed: number): Settled => ({
  tx: `0xa${seed.toString(16).padStart(63, '0')}`,
  logIndex: 3,
  blockNumber: 77n,
  blockMs: 1_790_000_000_000,
})

/** A purchase that its buyer has named, to hold credit for. */
export const named = (operation = 'operation'): HoldFor => ({ operation, asks: 'question', isNamed: true })
