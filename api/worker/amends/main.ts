import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lastWords } from '../../../ops/commandLine.ts'
import { type Config, ConfigError, givenKeys, loadConfig } from '../../../ops/config.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { endBySignal } from '../../../ops/shutdown.ts'
import { digestOfToken, tokenOf } from '../../entitlements/token.ts'
import { createByHandLedger } from '../../ledger/byHand.ts'
import { createReferralLedger } from '../../ledger/referrals.ts'
import { createStrayLedger } from '../../ledger/strays.ts'
import { ledgerOf } from '../books/source.ts'
import { amend } from './amend.ts'
import { readOrder, USAGE } from './order.ts'

/** `ops/amend`: see USAGE. */
endBySignal()
const log = createLog('amend', 'error')

try {
  const order = readOrder(process.argv.slice(2))
  if (order === null) process.stdout.write(USAGE)
  else {
    const config = loadConfig(process.env, 'script')
    const { url, folder } = await ledgerOf(order.dataDir, config, givenKeys(process.env))
    const redis = connectRedis(url, { log, name: 'amend' })
    try {
      const secret = order.action === 'credit' ? await secretOf(config, folder) : Buffer.alloc(0)
      const done = await amend(order, {
        strays: createStrayLedger(redis),
        byHand: createByHandLedger(redis),
        referrals: createReferralLedger(redis),
        nowMs: Date.now(),
        mode: config.MODE,
        codeOf: (operation) => tokenOf(secret, 'credit', `by-hand|${operation}`),
        digestOf: digestOfToken,
      })
      process.stdout.write(done.text)
      process.exitCode = done.code
    } finally {
      redis.disconnect()
    }
  }
} catch (error) {
  process.stderr.write(lastWords(error, 'ops/amend'))
  process.exitCode = 2
}

/** Claim codes are derived from this secret, like everything that is given for money. */
async function secretOf({ SERVICE_SECRET_FILE }: Config, folder: string | null): Promise<Buffer> {
  const file = SERVICE_SECRET_FILE || (folder === null ? '' : join(folder, 'secrets', 'service-secret'))
  const secret = await readFile(file).catch(() => Buffer.alloc(0))
  if (secret.length < 32) throw new ConfigError(['SERVICE_SECRET_FILE: cannot be read'])
  return secret
}
