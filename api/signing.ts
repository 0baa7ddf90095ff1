import { readFileSync } from 'node:fs'
import { type Config, ConfigError } from '../ops/config.ts'
import type { AnswerPorts } from './payment/answer.ts'
import { loadReceiptKey } from './receipts/key.ts'
import { loadKeyRing } from './receipts/keyRing.ts'

const MIN_SECRET_BYTES = 32

/** Secrets of the selling processes, read once at start. Only the worker has the settler's key besides. */
export function loadSigning(config: Config): AnswerPorts {
  let secret = Buffer.alloc(0)
  try {
    secret = readFileSync(config.SERVICE_SECRET_FILE)
  } catch {
    throw new ConfigError(['SERVICE_SECRET_FILE: cannot be read'])
  }
  if (secret.length < MIN_SECRET_BYTES)
    throw new ConfigError([`SERVICE_SECRET_FILE: holds less than ${MIN_SECRET_BYTES} bytes`])
  const receiptKey = loadReceiptKey(config.RECEIPT_KEY_FILE)
  return {
    receiptKey,
    receiptKeys: loadKeyRing(receiptKey, config.RECEIPT_PUBLIC_KEYS_FILE),
    secret,
    publicUrl: config.publicUrl,
    mode: config.MODE,
  }
}
