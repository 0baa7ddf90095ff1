import { BASE_CHAIN_ID } from '../base.ts'
import { type Config, ConfigError, type Environment, loadConfig } from '../config.ts'
import { environmentOf, type Facts } from './environments.ts'
import type { Own } from './own.ts'

/** What a sandbox makes for itself and real money must be told: a new folder would have new ones, and nothing that was sold. */
const NAMED_LIVE = {
  BASE_RPC_URL: 'MODE=live settles on a real chain',
  RECEIPT_KEY_FILE: 'MODE=live signs receipts with a key that is backed up',
  SERVICE_SECRET_FILE: 'MODE=live names what it sells with a secret that is backed up with the ledger',
} as const

/**
 * Asks, before anything starts, whether the roles that handle money would accept what they will be given.
 * @throws ConfigError with every missing or contradictory key.
 */
export function refuseIncomplete(
  config: Config,
  given: ReadonlySet<keyof Environment>,
  own: Own,
  facts: Facts,
): void {
  const problems = new Set<string>()
  for (const [key, why] of Object.entries(NAMED_LIVE) as [keyof typeof NAMED_LIVE, string][])
    if (config.MODE === 'live' && !given.has(key)) problems.add(`${key}: is missing (${why})`)
  if (own.chain && config.CHAIN_ID !== BASE_CHAIN_ID)
    problems.add(`CHAIN_ID: the chain that is started here is ${BASE_CHAIN_ID}; for another set BASE_RPC_URL`)
  const later: Facts = own.chain ? { RECEIVER_ADDRESS: `0x${'1'.repeat(40)}` } : {} //  the chain will say
  for (const role of ['api', 'worker'] as const)
    try {
      loadConfig(environmentOf(role, config, { ...later, ...facts }), role)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const problem of error.problems) problems.add(problem)
    }
  if (problems.size > 0) throw new ConfigError([...problems])
}
