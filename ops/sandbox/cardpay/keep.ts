import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { keptIn } from '../keptJson.ts'
import type { Sale } from './book.ts'

const Sales = z.array(z.custom<Sale>((sale) => typeof sale === 'object' && sale !== null && 'id' in sale))

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
    kept: keptIn(files.sales, read(files.sales) ?? '[]', Sales),
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
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true }) //  else a power cut may empty it
  renameSync(`${file}.new`, file)
}
