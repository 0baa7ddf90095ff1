import { startTestChain, type TestChain } from '../support/chain.ts'
import { until } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'
import type { Dice } from './dice.ts'
import { keepPublishing } from './prices.ts'
import { type FaultyProxy, startProxy } from './proxy.ts'

/**
 * Three api processes, the worker, both Redis, a real chain with our own settler; the ledger and the chain behind
 * proxies. Buyers come to the first two (`doors`); the third is there to die at a named step.
 */
export type StormWorld = {
  chain: TestChain
  service: Service
  doors: string[]
  rpc: FaultyProxy
  proxies: FaultyProxy[]
  stop(): Promise<void>
}

const DOORS = 2
/** A seller waits for the settler no longer than this; then the buyer has to come again. */
const SETTLE_WAIT_MS = 3_000

export async function startWorld(dice: Dice, buyers: number): Promise<StormWorld> {
  const chain = await startTestChain({ buyers })
  const { hostname, port } = new URL(chain.rpcUrl)
  const rpc = await startProxy({ host: hostname, port: Number(port) }, dice)
  const proxies = [rpc]
  const service = await startService({
    chain,
    processes: DOORS + 1,
    env: { BASE_RPC_URL: `http://127.0.0.1:${rpc.port}`, SETTLE_WAIT_MS: String(SETTLE_WAIT_MS) },
    async ledgerThrough(path) {
      const ledger = await startProxy({ path }, dice)
      proxies.push(ledger)
      return `redis://127.0.0.1:${ledger.port}`
    },
  })
  const prices = await keepPublishing(service)
  return {
    chain,
    service,
    rpc,
    proxies,
    doors: service.bases.slice(0, DOORS),
    async stop() {
      await prices.stop()
      await service.stop()
      for (const proxy of proxies) await proxy.stop()
      await chain.stop()
    },
  }
}

/** An undecided claim is somebody's again after half a minute at the latest. */
const SETTLED_DOWN_MS = 45_000

/** Waits until nothing is under way: no claim is being settled, none waits for its answer. @returns whether that came. */
export const settledDown = ({ service }: StormWorld): Promise<boolean> =>
  until(
    'every claim is decided and answered',
    async () => {
      const [settling, undelivered] = await Promise.all([
        service.ledger.ledger.list('settling', 1_000),
        service.ledger.ledger.list('undelivered', 1_000),
      ]).catch(() => [[null], [null]])
      return settling.length === 0 && undelivered.length === 0
    },
    SETTLED_DOWN_MS,
  ).catch(() => false)
