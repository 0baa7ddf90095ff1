import { BASE_CHAIN_ID } from '../base.ts'
import { type Config, ConfigError, loadConfig } from '../config.ts'
import { readSecretFile } from '../secretFile.ts'
import { environmentOf, type Facts } from './environments.ts'
import type { Own } from './own.ts'

/**
 * Asks, before anything starts, whether the roles that handle money would accept what they will be given.
 * @throws ConfigError with every missing or contradictory key.
 */
export function refuseIncomplete(config: Config, own: Own, facts: Facts): void {
  const problems = new Set<string>()
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

const SECRET_FILES = [
  'SETTLER_KEY_FILE',
  'FACILITATORS_FILE',
  'FACILITATOR_AUTH_FILE',
  'RECEIPT_KEY_FILE',
  'SERVICE_SECRET_FILE',
  'STRIPE_SECRET_KEY_FILE',
  'STRIPE_WEBHOOK_SECRET_FILE',
] as const

/**
 * Checks the secret files before the start. Otherwise worker and api would each report them, one by one, only when all
 * stores run and each of the two has died six times of it.
 * @throws ConfigError with the key of every file that is named and cannot be read, or that others can read.
 */
export function refuseUnreadable(config: Config): void {
  const problems: string[] = []
  for (const key of SECRET_FILES)
    try {
      if (config[key] !== '') readSecretFile(key, config[key])
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
    }
  if (problems.length > 0) throw new ConfigError(problems)
}
