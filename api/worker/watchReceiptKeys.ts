import type { Redis } from 'ioredis'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { KEYS } from '../ledger/keys.ts'
import { guarded, writeOn } from '../ledger/scripts.ts'
import type { AnswerPorts } from '../payment/answer.ts'

/**
 * The ledger names every key that signed its receipts. One that is no longer published, because another file was put
 * back or the former public key was left out, makes all its receipts false for whoever checks them. Money stays open:
 * the key may have been left out on purpose (ops/README.md, rotating).
 */
export function createReceiptKeysWatch({
  redis,
  signing: { receiptKey, receiptKeys },
  metrics,
  log,
}: {
  redis: Redis
  signing: Pick<AnswerPorts, 'receiptKey' | 'receiptKeys'>
  metrics: Metrics
  log: Log
}): () => Promise<void> {
  const gauge = metrics.gauge('receipt_keys_missing', 'Keys that signed receipts here and are not published')
  let told = ''
  return async () => {
    const signers = await guarded(redis.smembers(KEYS.signers))
    if (!signers.includes(receiptKey.keyId)) await writeOn(redis)('SADD', KEYS.signers, receiptKey.keyId)
    const missing = signers.filter((keyId) => !receiptKeys.has(keyId)).sort()
    gauge.set(missing.length)
    if (missing.length > 0 && told !== `${missing}`) log.error({ keys: missing }, WORDS)
    told = `${missing}`
  }
}

const WORDS =
  'receipts of these keys no longer verify: put the former RECEIPT_KEY_FILE back, or their public keys into RECEIPT_PUBLIC_KEYS_FILE'
