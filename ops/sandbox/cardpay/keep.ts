import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sale } from './book.ts'

/** Files of the sandbox's card provider, readable by the owner only. */
export const cardFiles = (dataDir: string) => ({
  secretKey: join(dataDir, 'cardpay', 'secret-key'),
  webhookSecret: join(dataDir, 'cardpay', 'webhook-secret'),
  sales: join(dataDir, 'cardpay', 'sales.json'),
})

/** Keys are made once per data folder; sales outlive the process that took them. */
export function openFolder(dataDir: string) {
  const files = cardFiles(dataDir)
  mkdirSync(join(dataDir, 'cardpay'), { recursive: true, mode: 0o700 })
  return {
    secretKey: once(files.secretKey, () => `sk_test_${randomBytes(24).toString('hex')}`),
    webhookSecret: once(files.webhookSecret, () => `whsec_${randomBytes(24).toString('hex')}`),
    kept: JSON.parse(read(files.sales) ?? '[]') as Sale[],
    keep: (sales: readonly Sale[]) => write(files.sales, JSON.stringify(sales)),
  }
}

function once(file: string, make: () => string): string {
  const found = read(file)
  if (found !== null) return found
  const made = make()
  write(file, made)
  return made
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function write(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
