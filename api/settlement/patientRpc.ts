import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '../../ops/errors.ts'
import { SECOND } from '../../ops/units.ts'
import { type Rpc, TooMuchError } from './rpc.ts'

/** Pauses before a call is made again: half a minute in all. */
const PAUSES_MS = [1, 2, 4, 8, 16].map((seconds) => seconds * SECOND)

export type Patience = {
  signal?: AbortSignal //  once aborted, no pause is waited for and no further call is made
  pausesMs?: readonly number[]
}

/**
 * For long work that nobody waits for: a call without an answer is repeated (a rate limit, a node being restarted), so
 * that it does not end the whole run. A node that has never answered fails immediately; so does a list of logs that was
 * too much, since fewer blocks are asked for then.
 */
export function patientRpc(rpc: Rpc, { signal, pausesMs = PAUSES_MS }: Patience): Rpc {
  let hasAnswered = false
  const mayAnswer = (error: unknown, method: string, [filter]: readonly unknown[]): boolean =>
    hasAnswered &&
    error instanceof UnavailableError &&
    !(error instanceof TooMuchError && method === 'eth_getLogs' && isWide(filter))
  return {
    ...rpc,
    async call(method, params, maxBytes) {
      for (let tries = 0; ; tries++) {
        signal?.throwIfAborted()
        try {
          const answer = await rpc.call(method, params, maxBytes)
          hasAnswered = true
          return answer
        } catch (error) {
          if (tries === pausesMs.length || !mayAnswer(error, method, params)) throw error
          await sleep(pausesMs[tries], undefined, { signal })
        }
      }
    },
  }
}

/** Whether a list of logs asks for more than one block. */
const isWide = (filter: unknown): boolean => {
  const { fromBlock, toBlock } = filter as { fromBlock?: unknown; toBlock?: unknown }
  return fromBlock !== toBlock
}
