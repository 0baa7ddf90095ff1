import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { type Chain, type ChainOptions, startChain } from './chain.ts'
import { watchChain } from './watch.ts'

const LOOK_EVERY_MS = 500

export type KeptChain = {
  first: Chain //          as it was started; a restart keeps its address and its keys
  ended: Promise<void> //  resolves after stop(). @throws anvil's last words when it ends by itself
  stop(): Promise<void>
}

/** Runs a chain and saves what happened at most half a second after the block, until it is stopped. */
export async function keepChain(options: ChainOptions, log: Log): Promise<KeptChain> {
  const first = await startChain(options)
  let current = first
  let watch = await watchChain(current)
  let stopping = false
  let turn: Promise<unknown> = Promise.resolve() //  what is being done now; a stop waits for it

  async function look(): Promise<void> {
    try {
      if ((await watch.look()) === 'goOn') return
    } catch (error) {
      return log.warn({ reason: describeError(error) }, 'chain state not saved this time')
    }
    log.info({}, 'the chain is long: starting again on its newest blocks')
    await current.stop()
    current = await startChain({ ...options, port: Number(new URL(current.rpcUrl).port) })
    watch = await watchChain(current)
  }

  async function follow(): Promise<void> {
    while (!stopping) {
      const lastWords = await Promise.race([current.exited, sleep(LOOK_EVERY_MS, null)])
      if (stopping) return
      if (lastWords !== null) throw new Error(lastWords)
      turn = look()
      await turn
    }
  }

  const ended = follow()
  return {
    first,
    ended,
    async stop() {
      stopping = true
      await turn.catch(() => {})
      await current.stop()
    },
  }
}
