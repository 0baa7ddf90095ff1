import { type Config, ConfigError, type Environment, loadConfig } from '../config.ts'
import { environmentOf, type Facts } from './environments.ts'
import type { Own } from './own.ts'

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
  if (config.MODE === 'live' && !given.has('BASE_RPC_URL'))
    problems.add('BASE_RPC_URL: is missing (MODE=live settles on a real chain)')
  const later: Facts = own.chain ? { RECEIVER_ADDRESS: `0x${'1'.repeat(40)}` } : {} //  the chain will say
  for (const role of ['api', 'worker'] as const)
    try {
      loadConfig(environmentOf(role, config, { ...later, ...facts }), role)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const line of error.message.split('\n').slice(1)) problems.add(line.trim())
    }
  if (problems.size > 0) throw new ConfigError([...problems])
}
