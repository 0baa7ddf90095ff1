import { GAP_CARDS } from '../../engine/contract/gapCards.ts'
import { snapshotOf, someCard } from '../support/boards.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { sleep, until } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'
import type { Dice } from './dice.ts'
import { type FaultyProxy, startProxy } from './proxy.ts'

/** Two api processes, the worker, both Redis, a real chain with our own settler; the ledger and the chain behind proxies. */
export type StormWorld = {
  chain: TestChain
  service: Service
  proxies: FaultyProxy[]
  stop(): Promise<void>
}

export async function startWorld(dice: Dice, buyers: number): Promise<StormWorld> {
  const chain = await startTestChain({ buyers })
  const { hostname, port } = new URL(chain.rpcUrl)
  const rpc = await startProxy({ host: hostname, port: Number(port) }, dice)
  const proxies = [rpc]
  const service = await startService({
    chain,
    env: { BASE_RPC_URL: `http://127.0.0.1:${rpc.port}`, SETTLE_WAIT_MS: '3000' },
    async ledgerThrough(path) {
      const ledger = await startProxy({ path }, dice)
      proxies.push(ledger)
      return `redis://127.0.0.1:${ledger.port}`
    },
  })
  await service.publish(snapshotOf(GAP_CARDS, { cards: [someCard()], unqualified: {} }))
  return {
    chain,
    service,
    proxies,
    async stop() {
      await service.stop()
      for (const proxy of proxies) await proxy.stop()
      await chain.stop()
    },
  }
}

type Blow = (world: StormWorld, dice: Dice) => Promise<void>

/** One at a time, so that somebody is always there: the rule by which progress may be demanded. */
const BLOWS: Record<string, Blow> = {
  'an api process is killed': async ({ service }, dice) =>
    service.restartApi(dice.whole(service.apis.length)),
  'the worker is killed': ({ service }) => service.startWorker(),
  'an api process stands still': async ({ service }, dice) => {
    const { pid } = dice.pick(service.apis)
    process.kill(pid, 'SIGSTOP')
    await sleep(500 + dice.whole(1_500))
    process.kill(pid, 'SIGCONT')
  },
  'the ledger is killed': async ({ service }) => {
    await service.ledgerRedis.kill()
    await service.ledgerRedis.restart()
  },
  'the networks are faulty': async ({ proxies }, dice) => {
    for (const proxy of proxies) proxy.faulty(true)
    await sleep(1_000 + dice.whole(3_000))
    for (const proxy of proxies) proxy.faulty(false)
  },
}

/** Blow after blow until the time is over; then everything is whole again. @returns how often each came. */
export async function storm(world: StormWorld, dice: Dice, untilMs: number): Promise<Record<string, number>> {
  const count: Record<string, number> = {}
  const names = Object.keys(BLOWS)
  while (Date.now() < untilMs) {
    const name = dice.pick(names)
    await BLOWS[name]!(world, dice)
    count[name] = (count[name] ?? 0) + 1
    await sleep(dice.whole(500))
  }
  for (const proxy of world.proxies) proxy.faulty(false)
  return count
}

/** Nothing is under way any more: no claim is being settled, none waits for its answer. */
export const settledDown = ({ service }: StormWorld): Promise<unknown> =>
  until(
    'every claim is decided and answered',
    async () => {
      const [settling, undelivered] = await Promise.all([
        service.ledger.ledger.list('settling', 1_000),
        service.ledger.ledger.list('undelivered', 1_000),
      ]).catch(() => [[null], [null]])
      return settling.length === 0 && undelivered.length === 0
    },
    120_000,
  )
