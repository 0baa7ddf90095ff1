import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { SECOND } from '../units.ts'
import { exchange } from './exchange.ts'
import { readJson, writePrivateJson } from './kept/files.ts'
import type { Home } from './kept/home.ts'
import { OracleDescriptor } from './receipt.ts'

const TIMEOUT_MS = 10 * SECOND

/** The keys that sign a service's receipts, as it publishes them; null: it does not, or cannot be asked. */
export async function fetchOracle(url: string): Promise<OracleDescriptor | null> {
  const request = new Request(new URL('/.well-known/receipt-oracle.json', url))
  const { answer } = await exchange(request, TIMEOUT_MS)
  const parsed = OracleDescriptor.safeParse(answer?.status === 200 ? answer.json : null)
  return parsed.success ? parsed.data : null
}

const fileOf = ({ keysDir }: Home, origin: string): string =>
  join(keysDir, `${createHash('sha256').update(origin).digest('hex').slice(0, 16)}.json`)

/** Keeps the keys of a service, so that its receipts can be verified when it is gone. */
export const keepOracle = (home: Home, origin: string, oracle: OracleDescriptor): Promise<void> =>
  writePrivateJson(fileOf(home, origin), oracle)

export const keptOracle = (home: Home, origin: string): Promise<OracleDescriptor | null> =>
  readJson(fileOf(home, origin), OracleDescriptor)
