import type { Redis } from 'ioredis'
import type { Hex } from 'viem'
import type { Clock } from '../../ops/clock.ts'
import { type Config, ConfigError } from '../../ops/config.ts'
import { describeError } from '../../ops/errors.ts'
import { lead } from '../../ops/lead.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { keepSubscribed } from '../../ops/redis.ts'
import { readSecretFile } from '../../ops/secretFile.ts'
import { SECOND } from '../../ops/units.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { CLAIMED_CHANNEL } from '../ledger/redis.ts'
import { createSettlerState } from '../ledger/settlerState.ts'
import { addressOfKey } from '../settlement/key.ts'
import type { PaymentChain } from '../settlement/port.ts'
import { runSettler, type Settler } from '../settlement/settler.ts'
import { settlerMetrics } from '../settlement/settlerMetrics.ts'
import { settleLedgerOf } from './settleLedger.ts'

/** Name of the settlers' lease; its fence is what the ledger compares. */
const LEASE = 'settler'
/** How often the settler reports its state to the other processes. */
const TELL_EVERY_MS = 2 * SECOND

type Ports = {
  config: Config
  ledger: Ledger
  chain: PaymentChain
  redis: Redis
  news: Redis
  clock: Clock //  of the ledger, which dates the claims
  log: Log
  metrics: Metrics
}

/**
 * Our own settler under a lease: one worker settles, the others stand by. A term ends with the lease, or when the
 * ledger refuses its fence; the next one reads ledger and chain and goes on.
 */
export function settleWhileLeading({ config, ledger, chain, redis, news, clock, log, metrics }: Ports) {
  const key = readSettlerKey(config.SETTLER_KEY_FILE)
  refuseAddress(key, config.SETTLER_ADDRESS)
  const figures = settlerMetrics(metrics)
  let term: { settler: Settler; abort: AbortController } | null = null

  const begin = (fence: string) => {
    const abort = new AbortController()
    const settler = runSettler({
      ledger: settleLedgerOf(ledger, config.CHAIN_ID, fence),
      chain,
      rpcUrl: config.BASE_RPC_URL,
      chainId: config.CHAIN_ID,
      key,
      clock,
      log,
      signal: abort.signal,
      metrics,
    })
    const mine = { settler, abort }
    term = mine
    settler.done.catch((error) => {
      log.error({ fence, reason: describeError(error) }, 'the settler stopped')
      if (term === mine) process.exit(1) // the supervisor starts a worker that reads everything anew
    })
  }
  //  One term after another: the one that ends may still wait for its node. By the time its turn comes, a term may be
  //  over, or we may have been told to stop: only what was heard last begins.
  let turns: Promise<void> = Promise.resolve()
  let heard = 0
  const change = (fence: string | null) => {
    const nth = ++heard
    const ending = term
    term = null
    ending?.abort.abort()
    turns = turns.then(async () => {
      await ending?.settler.done.catch(() => {})
      figures.rest()
      if (fence !== null && nth === heard) begin(fence)
    })
  }
  const leadership = lead(redis, { name: LEASE, log, onChange: change })
  news.on('message', (channel) => {
    if (channel === CLAIMED_CHANNEL) term?.settler.wake()
  })
  keepSubscribed(news, CLAIMED_CHANNEL) // the settler looks every second anyway

  const state = createSettlerState(redis)
  const telling = setInterval(() => {
    if (term === null || leadership.fence() === null) return
    state.say(term.settler.problem()).catch(() => {}) // a missing report shows as a problem
  }, TELL_EVERY_MS)

  return {
    problem: () => term?.settler.problem() ?? null,
    stop: async () => {
      clearInterval(telling)
      await leadership.stop() //  which ends the term
      await turns
    },
  }
}

/** Refuses a published address other than the settling one. */
function refuseAddress(key: Hex, published: string): void {
  if (published !== '' && published.toLowerCase() !== addressOfKey(key))
    throw new ConfigError(['SETTLER_ADDRESS: is not the address of SETTLER_KEY_FILE'])
}

function readSettlerKey(file: string): Hex {
  const text = readSecretFile('SETTLER_KEY_FILE', file).toString().trim()
  if (!/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new ConfigError(['SETTLER_KEY_FILE: must hold 0x and 64 hex digits'])
  return text as Hex
}
