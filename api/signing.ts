import { type Config, ConfigError } from '../ops/config.ts'
import { readSecretFile } from '../ops/secretFile.ts'
import type { AnswerPorts } from './payment/answer.ts'
import { loadReceiptKey } from './receipts/key.ts'
import { loadKeyRing } from './receipts/keyRing.ts'

const MIN_SECRET_BYTES = 32

/** Secrets of the selling processes, read once at start. Only the worker has the settler's key besides. */
export function loadSigning(config: Config): AnswerPorts {
  const [secret, [receiptKey, receiptKeys]] = allOf(
    () => serviceSecret(config.SERVICE_SECRET_FILE),
    () => {
      const key = loadReceiptKey(config.RECEIPT_KEY_FILE)
      return [key, loadKeyRing(key, config.RECEIPT_PUBLIC_KEYS_FILE)] as const
    },
  )
  return {
    receiptKey,
    receiptKeys,
    secret,
    publicUrl: config.publicUrl,
    mode: config.MODE,
  }
}

function serviceSecret(file: string): Buffer {
  const secret = readSecretFile('SERVICE_SECRET_FILE', file)
  if (secret.length >= MIN_SECRET_BYTES) return secret
  throw new ConfigError([`SERVICE_SECRET_FILE: holds less than ${MIN_SECRET_BYTES} bytes`])
}

/** Reads both files before either is refused, so that the operator learns of both faults at once. */
function allOf<A, B>(one: () => A, other: () => B): [A, B] {
  const problems: string[] = []
  const attempt = <T>(read: () => T): T | null => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      return null
    }
  }
  const read = [attempt(one), attempt(other)]
  if (problems.length > 0) throw new ConfigError(problems)
  return read as [A, B]
}
