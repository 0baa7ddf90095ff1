import { UnavailableError } from '../../ops/errors.ts'

/**
 * Bounds the unpaid questions to the chain that are open at once in this process; those beyond are turned away. So they
 * are never in the way of payments, which ask over the same connections.
 */
export function fewAtOnce(most: number, what: string): <T>(ask: () => Promise<T>) => Promise<T> {
  let asking = 0
  return async (ask) => {
    if (asking >= most) throw new UnavailableError('chain_unavailable', `too many ${what} are asked about`)
    asking++
    try {
      return await ask()
    } finally {
      asking--
    }
  }
}
